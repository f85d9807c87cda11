"""OpenZFS: pools and its commands."""
