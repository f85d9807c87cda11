"""Backups of the control plane: one sealed file with every row, the keys of the stored secrets and the certificate."""
