"""What belongs to the appliance as a whole: certificate, bundles, support, backup, status."""
