"""Plans for who reaches what: hosts, groups, portals, FC ports, mappings and sessions."""
