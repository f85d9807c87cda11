"""How long the appliance has run, as it is stored."""

import datetime as dt
from typing import Annotated

from pydantic import AwareDatetime, Field

from lunette.domain.base import Model

PERIOD_S = 60.0
"""How often it is counted."""
LONGEST_S = 10**11
"""Seconds: some three thousand years, which can be added to every date of today."""


class Uptime(Model):
    """`seconds` had passed at `at`."""

    seconds: Annotated[float, Field(ge=0, le=LONGEST_S, allow_inf_nan=False)]
    at: AwareDatetime

    def due_s(self, hours: int) -> int:
        """When so many hours will have passed: never sooner, so what may not be counted yet is added."""
        return int(self.seconds + PERIOD_S) + hours * 3600

    def when(self, due_s: float) -> dt.datetime:
        """The moment at which this many seconds will have passed, if the appliance keeps running."""
        return self.at + dt.timedelta(seconds=due_s - self.seconds)
