"""`make lab`: a real appliance in a virtual machine, provisioned through its API, used by four hosts."""
