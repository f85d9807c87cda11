"""Roles and their permissions. A role includes the permissions of all lower roles."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, SecretStr


class Role(StrEnum):
    """Permissions of a user or an API token. Each role includes the permissions of the roles before it."""

    METRICS = "metrics"
    """Reads `/metrics` and nothing else. Intended for the token of a monitoring system; users cannot have this role."""
    VIEWER = "viewer"
    """Views everything except users, and changes only the own password, second factor, logins and tokens."""
    OPERATOR = "operator"
    """Also changes volumes, snapshots, hosts, host groups and mappings, and acknowledges alerts."""
    ADMINISTRATOR = "administrator"
    """Also changes everything else, such as arrays, disks, portals, settings and users."""

    def includes(self, needed: "Role") -> bool:
        """True if a user with this role may do what requires `needed`."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


PersonRole = Literal[Role.VIEWER, Role.OPERATOR, Role.ADMINISTRATOR]
"""Roles of a user."""
NewPassword = Annotated[SecretStr, Field(min_length=12, max_length=256)]
"""Allowed passwords."""
