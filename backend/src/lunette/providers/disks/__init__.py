"""Physical drives: the inventory by stable ID, and requested wipes."""
