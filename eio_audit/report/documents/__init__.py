"""The document of each command: what its report says, for a terminal, Markdown and pages."""
