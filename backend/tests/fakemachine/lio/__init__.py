"""LIO: backstores, iSCSI and Fibre Channel."""
