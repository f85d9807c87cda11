"""Hosts outside the appliance: the kernel's initiator in a guest of its own, and a user-space one.

kernel.py is what a customer's server does; libiscsi.py asks single questions (may I log in, what does this LUN
answer) from the test process itself. pattern.py is the data they write and verify.
"""
