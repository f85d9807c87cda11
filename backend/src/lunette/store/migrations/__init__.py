"""Alembic migrations, one file per change of the schema: NNNN_what.py."""
