"""Plans for arrays: creation, changes of each engine, growth, release, and possible layouts."""
