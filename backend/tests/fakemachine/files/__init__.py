"""Files as the machine sees them: plain ones, configfs, and the views below /dev, /sys and /proc."""
