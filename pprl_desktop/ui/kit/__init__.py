"""What every page of the window is built with: colours, words, icons, background work."""
