"""Many files at once: on all cores, on several machines, and each text only once."""
