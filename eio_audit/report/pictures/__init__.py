"""Pictures as plain SVG."""
