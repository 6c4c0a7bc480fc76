"""Why an op stands where it stands, and the pictures of it."""
