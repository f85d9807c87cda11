"""Network interfaces, through systemd-networkd."""
