"""One module per verb of the command line: arguments() and run()."""
