"""Random valid programs of the fuse dialect, and programs that equal them."""
