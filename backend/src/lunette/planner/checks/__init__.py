"""What every plan is held against: findings of a request, names, and the independent checker."""
