"""What each pass of a log did."""
