"""Branches of a world: a fork is the cheapest whole copy of a machine, an agent and an engine in memory.

Building a world takes longer than striking it, so it is built once, and every fault strikes a branch of its own. The
database is a file, and a branch gets a copy of it.
"""

import gc
import os
import pickle
import shutil
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

from backend.tests.faults.world import World


def in_a_branch(world: World, work: Callable[[World], list[str]]) -> list[str]:
    """What `work` returns when it is done to a branch of the world; the world itself stays as it is."""
    world.store.close()  # no connection is shared, and the file is whole
    for thread in threading.enumerate():
        if thread.name.startswith("array "):  # what it holds at the fork would be held for ever in the branch
            thread.join()
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory(dir=world.database.parent) as folder, warnings.catch_warnings():
        copy = shutil.copy(world.database, folder)
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads of the test runner hold nothing we use
        gc.freeze()  # a collection in the branch would touch, and so copy, every page of the parent
        child = os.fork()
        if child == 0:
            _branch(world, Path(copy), work, writing)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            reported = pipe.read()
        os.waitpid(child, 0)
    found: list[str] = pickle.loads(reported) if reported else ["the branch died without a word"]
    return found


def _branch(world: World, database: Path, work: Callable[[World], list[str]], writing: int) -> None:
    """The life of the child; it never returns."""
    try:
        try:
            world.move_to(database)
            found = work(world)
        except BaseException:  # noqa: BLE001 - the parent must hear of everything
            found = [traceback.format_exc()]
        os.write(writing, pickle.dumps(found[:100]))
    finally:
        os._exit(0)
