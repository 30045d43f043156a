"""The window. Nothing outside this room imports Qt.

The way through it: `app` starts it, shell/ is the frame, panes/ the pages, widgets/ and plots/ what they are made of,
kit/ theme, language and background work; `desk` is what the panes share. It shows what job/ gives. May import: every
room but verbs.
"""
