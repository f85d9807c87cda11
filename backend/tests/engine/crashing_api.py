"""The API process of test_crash.py: runs one job over the agent's socket until it is killed or the job is over."""

import sys
from pathlib import Path

from lunette.engine.control import Control
from lunette.store.database import Store
from lunette.store.secrets import SecretBox
from lunette.system.agent_client import AgentClient


def main(url: str, key: str, socket_path: str, job_id: str) -> None:
    store = Store.open(url, SecretBox.at(Path(key)))
    control = Control(store, AgentClient(socket_path))
    print(control.runner.run(job_id).value)
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
