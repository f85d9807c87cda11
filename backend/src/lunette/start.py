"""What the scripts `lunette-agent` and `lunette-api` call.

A program is imported without looking for garbage, of which there is none yet: natively that is a sixth of the time.
What is there afterward stays to the end, so later looks pass over it (`gc.freeze`).
"""

import gc
from importlib import import_module


def agent() -> int:
    """The root process; see its own main."""
    return _run("lunette.agent.main")


def api() -> int:
    """The API; see its own main."""
    return _run("lunette.api.main")


def _run(program: str) -> int:
    gc.disable()
    main = import_module(program).main
    gc.freeze()
    gc.enable()
    code: int = main()
    return code
