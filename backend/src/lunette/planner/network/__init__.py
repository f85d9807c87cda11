"""Plans for network interfaces."""
