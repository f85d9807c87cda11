"""`python ansible/generator` writes the modules, `python ansible/generator --check` names those that are stale."""

import sys

from lunette_collection.write import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
