"""Linux LIO: iSCSI, written straight into configfs level by level."""
