"""The commands: click, files and exit codes."""
