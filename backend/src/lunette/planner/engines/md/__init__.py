"""Plans for arrays of Linux MD."""
