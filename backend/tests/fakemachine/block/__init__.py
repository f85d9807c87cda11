"""The block layer, drives, and what lies on media."""
