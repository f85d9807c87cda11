"""The `lunette` command: a client of the API and nothing more."""
