"""Two ways to draw examples of a property: fixed ones in `make test`, new ones in each run of the full matrix.

A failure that the full matrix finds is minimized and stored as a file under `examples/`: once committed, both replay
it. The seed of such a run is printed when it begins (`tests/run/suite.py`); `--hypothesis-seed` repeats it.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase, ReadOnlyDatabase

EXAMPLES = Path(__file__).parent / "examples"
_SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
_SEED = 1
Test = TypeVar("Test", bound=Callable[..., Any])


def fixed(name: str, count: int) -> Callable[[Test], Test]:
    """Run a property with the examples stored under this name, then `count` ones that are the same in every run."""
    kept = ReadOnlyDatabase(DirectoryBasedExampleDatabase(EXAMPLES))
    phases = (Phase.explicit, Phase.reuse, Phase.generate)  # what fails is made small by the full matrix

    def decorate(test: Test) -> Test:
        # The seed first: it takes the database away from settings that are there already.
        return _kept_as(name, _settings(kept, count, phases)(seed(_SEED)(test)))

    return decorate


class _Kept(ExampleDatabase):
    """A folder of examples from which only what this process put there is taken away again.

    Hypothesis deletes an example that fails no longer: here it stays, as a regression test.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = DirectoryBasedExampleDatabase(folder)
        self._mine: set[tuple[bytes, bytes]] = set()

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """All examples under this key."""
        yield from self._folder.fetch(key)

    def save(self, key: bytes, value: bytes) -> None:
        """Keeps an example."""
        if value not in set(self._folder.fetch(key)):
            self._mine.add((key, value))
        self._folder.save(key, value)

    def delete(self, key: bytes, value: bytes) -> None:
        """Takes an example away that a smaller one of this run replaces."""
        if (key, value) in self._mine:
            self._folder.delete(key, value)


def explored(name: str, count: int) -> Callable[[Test], Test]:
    """Run a property with the examples stored under this name, then `count` new ones; store those that fail."""
    kept = _Kept(EXAMPLES)

    def decorate(test: Test) -> Test:
        return _kept_as(name, _settings(kept, count, tuple(Phase))(test))

    return decorate


def _settings(kept: ExampleDatabase, count: int, phases: tuple[Phase, ...]) -> settings:
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=False,
        database=kept,
        print_blob=True,
        phases=phases,
        suppress_health_check=_SLOW,
    )


def _kept_as(name: str, test: Test) -> Test:
    """Both tests of a property have one key, where Hypothesis would take one of the source of each."""
    test._hypothesis_internal_database_key = name.encode()  # type: ignore[attr-defined]
    return test
