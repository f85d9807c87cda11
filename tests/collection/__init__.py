"""The Ansible collection against the real API: what it must cover, and every module run by ansible-playbook."""
