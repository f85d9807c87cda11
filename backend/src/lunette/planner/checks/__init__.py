"""Checks of every plan: findings about a request, names, and the independent checker."""
