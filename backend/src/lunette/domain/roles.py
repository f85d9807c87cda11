"""Who may do what. A role includes everything the roles before it may do."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, SecretStr


class Role(StrEnum):
    """viewer reads; operator also changes volumes, hosts and mappings; administrator also disks, arrays, users.

    metrics reads /metrics and nothing else: it is for the token of a monitoring system, and no person has it.
    """

    METRICS = "metrics"
    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMINISTRATOR = "administrator"

    def includes(self, needed: "Role") -> bool:
        """True if a person with this role may do what needs `needed`."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


PersonRole = Literal[Role.VIEWER, Role.OPERATOR, Role.ADMINISTRATOR]
"""What a person can be."""
NewPassword = Annotated[SecretStr, Field(min_length=12, max_length=256)]
"""What a person may choose as a password."""
