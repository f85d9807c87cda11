"""What installer and first start of the API agree on: the first user, and files in the data folder of the API."""

FIRST_USER = "admin"
INSTALLED_PASSWORD = "installed-password"
"""File with the Argon2 hash of the password that was chosen at installation."""
INSTALLED_ZONE = "installed-time-zone"
"""File with the name of the time zone that was chosen at installation."""
