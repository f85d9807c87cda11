"""A Docker engine for tests, and stand-ins for the images of a registry."""
