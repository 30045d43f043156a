"""The frame of the window: steps, bars, menus, drops and the pages it shows."""
