"""cryptsetup 2.7 and dm-crypt, as far as used: LUKS2 headers on media, and the mappings that are open.

It keeps LUKS's own rules: formatting destroys, a wrong key ends with 2, opening what is open and closing what is held
with 5. Keys come by standard input or from a file.
"""

import json
from collections.abc import Callable, Sequence

from backend.tests.fakemachine.block.devices import Blocks, Device
from backend.tests.fakemachine.block.media import LuksHeader, Media
from backend.tests.fakemachine.files.plain import Files
from backend.tests.fakemachine.md.manage import Answer
from backend.tests.fakemachine.tools import Tools

WRONG_KEY = (2, "", "No key available with this passphrase.\n")
_VALUES = (
    "--type",
    "--uuid",
    "--label",
    "--sector-size",
    "--offset",
    "--cipher",
    "--key-size",
    "--pbkdf",
    "--pbkdf-memory",
    "--pbkdf-parallel",
    "--pbkdf-force-iterations",
    "--hash",
    "--key-file",
)


class Crypt:
    """Runs one command line of cryptsetup."""

    def __init__(self, blocks: Blocks, files: Files, half_way: Callable[[], None], tools: Tools) -> None:
        self._blocks, self._files, self._half_way = blocks, files, half_way
        self.stdin = ""
        """What the command that runs now is given."""
        tools.add("cryptsetup", self.run)

    def mappings(self) -> dict[str, Device]:
        """The open ones by name."""
        return {
            device.links[0].rpartition("/")[2]: device
            for device in self._blocks.stacked.values()
            if device.kind == "crypt"
        }

    def run(self, argv: Sequence[str]) -> Answer:
        """Exit code, stdout, stderr."""
        words, options = parse(argv[2:])
        if argv[1] == "close":
            return self._close(words[0])
        if argv[1] == "resize":
            return self._resize(words[0])
        device = self._blocks.find(words[0])
        if device is None or device.media is None:
            return 4, "", f"Device {words[0]} does not exist or access denied.\n"
        if argv[1] == "luksFormat":
            return self._format(device, device.media, options)
        header = device.media.luks
        if header is None:
            return 1, "", f"Device {words[0]} is not a valid LUKS device.\n"
        if argv[1] == "luksDump":
            slots: dict[str, object] = {str(number): {} for number in range(len(header.keys))}
            return 0, json.dumps({"keyslots": slots, "segments": {}}), ""
        if argv[1] == "open":
            return self._open(device, header, words[-1], options)
        return self._change(argv[1], header, words)

    def _format(self, device: Device, media: Media, options: dict[str, str]) -> Answer:
        if self._blocks.is_held(device.kernel_name):
            return 5, "", f"Device {device.kernel_name} is in use. Cannot proceed with format operation.\n"
        offset = int(options["--offset"]) * 512
        for signature in media.all_signatures():
            media.wipe(signature)
        media.data = {}
        media.luks = LuksHeader(options["--uuid"], options["--label"], [], Media(media.size_bytes - offset))
        self._half_way()  # the header is written before the first key slot
        media.luks.keys.append(self.stdin)
        return 0, "", ""

    def _open(self, device: Device, header: LuksHeader, name: str, options: dict[str, str]) -> Answer:
        if self.stdin not in header.keys:
            return WRONG_KEY
        if "--test-passphrase" in options:
            return 0, "", ""
        if name in self.mappings() or self._blocks.is_held(device.kernel_name):
            return 5, "", f"Device {name} already exists.\n"
        taken = self._blocks.stacked
        kernel_name = next(f"dm-{number}" for number in range(9_000, 10_000) if f"dm-{number}" not in taken)
        taken[kernel_name] = Device(
            kernel_name, "crypt", header.inner.size_bytes, [f"/dev/mapper/{name}"], [device.kernel_name], header.inner
        )
        self._half_way()
        return 0, "", ""

    def _close(self, name: str) -> Answer:
        found = self.mappings().get(name)
        if found is None:
            return 4, "", f"Device {name} is not active.\n"
        if self._blocks.is_open(found.kernel_name):
            return 5, "", f"Device {name} is still in use.\n"
        del self._blocks.stacked[found.kernel_name]
        return 0, "", ""

    def _resize(self, name: str) -> Answer:
        found = self.mappings().get(name)
        below = self._blocks.devices().get(found.below[0]) if found else None
        if found is None or found.media is None or below is None or below.media is None:
            return 4, "", f"Device {name} is not active.\n"
        header = 16 * 1024 * 1024
        found.media.size_bytes = found.size_bytes = below.size_bytes - header
        return 0, "", ""

    def _change(self, verb: str, header: LuksHeader, words: Sequence[str]) -> Answer:
        if verb == "luksErase":
            header.keys.clear()
            return 0, "", ""
        if self.stdin not in header.keys:
            return WRONG_KEY
        if verb == "luksAddKey":
            header.keys.append(self._files.read(words[1]).decode())
        elif verb == "luksRemoveKey":
            header.keys.remove(self.stdin)
        else:
            return 1, "", f"cryptsetup: Unknown action {verb}.\n"
        return 0, "", ""


def parse(argv: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Words and options of a command line."""
    words: list[str] = []
    options, rest = dict[str, str](), list(argv)
    while rest:
        word = rest.pop(0)
        if word in _VALUES:
            options[word] = rest.pop(0)
        elif word == "--":
            return words + rest, options
        elif word.startswith("--"):
            options[word] = ""
        else:
            words.append(word)
    return words, options
