"""The appliance as a whole: certificate, update bundles, support, backup, status."""
