"""Plans for devices of other RAID controllers or engines."""
