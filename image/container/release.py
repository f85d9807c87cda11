"""Creates /opt/lunette inside the build of the containers, with the same content and code as the image of an
appliance.
"""

import sys
from pathlib import Path

BUILD = Path(__file__).parent

if __name__ == "__main__":
    sys.path.insert(0, str(BUILD / "image"))
    from lunette_image.product import add_product, add_venv

    add_venv(Path("/"), BUILD / "site")
    add_product(Path("/"), BUILD / "backend", BUILD / "ui")
