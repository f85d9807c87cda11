"""What a change needs to be undone: how it was before and after, sealed, because secrets are among it."""

from sqlalchemy import BigInteger, ForeignKey, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from lunette.store.schema import Base

_SEQ = BigInteger().with_variant(Integer, "sqlite")


class KeptState(Base):
    """The states around one event's change. `undone_by` is the event of its undo."""

    __tablename__ = "kept_state"

    event_seq: Mapped[int] = mapped_column(
        _SEQ, ForeignKey("event.seq", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    noun: Mapped[str] = mapped_column(String(32))
    sealed: Mapped[str] = mapped_column(Text)
    undone_by: Mapped[int | None] = mapped_column(_SEQ, ForeignKey("event.seq", ondelete="SET NULL"))
