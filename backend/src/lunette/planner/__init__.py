"""Pure functions from what is wanted, what is seen and what is asked for to a plan. Every identity is chosen here."""
