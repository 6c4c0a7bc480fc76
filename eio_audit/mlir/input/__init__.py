"""Where dumps come from: files, logs, folders and file names."""
