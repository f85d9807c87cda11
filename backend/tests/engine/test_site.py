"""Site documents as jobs: all or nothing to begin with, one change after another, going on where it stopped."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from backend.tests.engine.conftest import ADMIN, DISKS
from backend.tests.faults.world import EngineCrash, FragileStore, World, database_template
from backend.tests.planner.sites import facts
from lunette.domain.errors import Conflict, InUse, Invalid, LunetteError, NoSpace, ToolFailed
from lunette.domain.jobs import JobKind, JobState
from lunette.domain.plans import Plan
from lunette.domain.site import Site, SiteRequest
from lunette.engine.outcome import Outcome
from lunette.engine.site import UNFINISHED
from lunette.store.journal import Event, Job, JobStep
from lunette.store.resources import Array, Host, Volume
