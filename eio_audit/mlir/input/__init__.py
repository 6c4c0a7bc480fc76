"""Where dumps come from: files, logs, folders, and the texts in them."""
