"""Updates of the installed appliance: two slots, a choice that GRUB reads and writes, bundles that RAUC installs.

choice.py   which slot is started next, as data
slots.py    the two slots of this machine, from the kernel command line
efi.py      where the choice is stored: a file on every EFI partition
rauc.py     RAUC's configuration, and what it says
run.py      what the steps of an update do
trial.py    the first start of a new system: whether it is healthy, and the result
"""
