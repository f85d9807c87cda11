"""The collection's own Python, imported from the tree under the name it has where it is installed."""

import importlib
import sys
import types

from tests.run.command import ROOT

COLLECTION_NAME = "ansible_collections.lunette.appliance"
for _depth, _part in enumerate(COLLECTION_NAME.split(".")):
    _package = types.ModuleType(".".join(COLLECTION_NAME.split(".")[: _depth + 1]))
    _package.__path__ = [str(ROOT / "ansible")] if _part == "appliance" else []
    sys.modules.setdefault(_package.__name__, _package)

client = importlib.import_module(f"{COLLECTION_NAME}.plugins.module_utils.client")
compare = importlib.import_module(f"{COLLECTION_NAME}.plugins.module_utils.compare")
