"""Files with secrets: readable by this user only, and written completely or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from lunette.cli.errors import UsageError


def write_privately(name: str, content: bytes) -> None:
    """Replaces the file by this content, on stable storage. Raises UsageError if it cannot be written.

    A pipe or /dev/null receives it, and is not replaced.
    """
    path = Path(name)
    draft = None
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        draft = path.with_name(f".{path.name}.new")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            if draft is not None:
                draft.unlink(missing_ok=True)
        raise UsageError(f"Cannot write {name}: {error.strerror}") from error
