"""The consoles: what a person before the machine sees, and what they can do there without a password.

terminal.py  lines, questions and pages on a terminal that may be a dumb serial one of 80 x 24
screen.py    where the appliance is reached, how to know it is the right one, how it is
state.py     looks at the appliance every few seconds, so that the screen follows what changes
menu.py      the screen, the menu below it, and what each key does
network.py   network repair: the product's own trial, over the API or, while that is down, over the agent
backends.py those two ways
tasks.py     password reset, what to look at, restart and power-off, shell
"""
