"""What the script `lunette-agent` calls: imports the program without looking for garbage, of which there is none yet.

On an emulated or old machine, which serves nothing until then, that is a sixth of the time. What is there afterwards
stays to the end, so later looks pass over it (`gc.freeze`).
"""

import gc


def main() -> int:
    """As the program's own main."""
    gc.disable()
    from lunette.agent.main import main as run

    gc.freeze()
    gc.enable()
    return run()
