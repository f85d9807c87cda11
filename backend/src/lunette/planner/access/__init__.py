"""Plans for access: hosts, groups, portals, FC ports, mappings and sessions."""
