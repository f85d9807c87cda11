"""The firewall of the appliance, through nftables."""
