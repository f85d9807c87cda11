"""Linux LIO: iSCSI, written directly to configfs level by level."""
