"""Plans for volumes and their snapshots, and for deleted ones."""
