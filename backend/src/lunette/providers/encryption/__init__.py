"""Encryption of arrays: one LUKS2 header and one dm-crypt mapping between an array and its volumes."""
