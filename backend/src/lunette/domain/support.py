"""What goes into a support bundle from the machine itself."""

from lunette.domain.base import Model


class SupportFile(Model):
    """`name` is its path in the bundle; `text` is what was read, or why it could not be."""

    name: str
    text: str


class SupportFacts(Model):
    files: tuple[SupportFile, ...]
