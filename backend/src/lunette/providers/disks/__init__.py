"""Physical drives: the inventory by stable id, and the wipe that a request named."""
