"""Who may do what. A role includes everything the roles before it may do."""

from enum import StrEnum


class Role(StrEnum):
    """viewer reads; operator also changes volumes, hosts and mappings; administrator also disks, arrays, users."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMINISTRATOR = "administrator"

    def includes(self, needed: "Role") -> bool:
        """True if a person with this role may do what needs `needed`."""
        order = list(Role)
        return order.index(self) >= order.index(needed)
