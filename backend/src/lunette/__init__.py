"""Lunette: a storage target appliance. See docs/explanation/tour.md for the way through the code."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("lunette")
except PackageNotFoundError:  # running from a source tree that was never installed
    __version__ = "0.0.0"
