"""Plans for the appliance itself: power, updates, restores, and schedules."""
