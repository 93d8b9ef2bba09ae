"""The command line: one file a command, options shared by all in one place, errors caught once."""
