"""Lunette: a storage target appliance. See docs/explanation/tour.md for the way through the code."""


def __getattr__(name: str) -> str:
    """`__version__`, read from the installed metadata only on request: that takes longer than a command."""
    if name != "__version__":
        raise AttributeError(f"module 'lunette' has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("lunette")
    except PackageNotFoundError:  # running from a source tree that was never installed
        return "0.0.0"
