"""Why an op is where it is, and the pictures of it."""
