"""Who asks and what they may do: roles, sessions, tokens, passwords, second factors."""
