"""The installer: puts the system that runs from the ISO onto one disk or two, as an installation document says.

document.py  what a person may write, and what is wrong with it
interfaces.py several interfaces, VLANs, bonds, MTU and roles, planned by the product itself
judge.py     which disks are meant, and whether they may be written to
layout.py    partitions, file systems and boot loader, as data
settings.py  what makes this appliance differ from others: name, network, password, certificate
write.py     writes it, what makes the disk start last of all
questions.py asks a person at the console for what a document says
dialogue.py  the same installation after questions, the plan and a typed confirmation
finding.py   where the document is, and the messages on the consoles
"""
