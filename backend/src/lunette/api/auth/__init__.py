"""Identity and permissions: roles, sessions, tokens, passwords, second factors."""
