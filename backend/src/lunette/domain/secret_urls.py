"""Web addresses that are credentials: many services put a token into the path or the query."""

import html
import re
from typing import Any, ClassVar
from urllib.parse import unquote

from pydantic import GetCoreSchemaHandler, SecretStr
from pydantic_core import CoreSchema, core_schema

MAX_LENGTH = 2000
_SHORTEST = 6
"""Characters of a part that could be a token; shorter ones occur in any text."""


class SecretUrl(SecretStr):
    """An HTTPS address of which scheme, host and port are shown, in text and in JSON, and nothing else."""

    SCHEMES: ClassVar[str] = "https"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
        pattern = rf"^{cls.SCHEMES}://[^\s/?#@]+([/?][^\s#]*)?$"
        text = core_schema.str_schema(
            max_length=MAX_LENGTH, pattern=pattern, metadata={"pydantic_js_updates": {"format": "password"}}
        )
        return core_schema.no_info_wrap_validator_function(
            lambda value, check: value if isinstance(value, cls) else cls(check(value)),
            text,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda url, info: str(url) if info.mode == "json" else url, info_arg=True
            ),
        )

    def __str__(self) -> str:
        return self.shown

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shown!r})"

    @property
    def shown(self) -> str:
        """Scheme, host and port, the same for every way to write them."""
        scheme, _, rest = self.get_secret_value().partition("://")
        host = re.split(r"[/?]", rest, maxsplit=1)[0].lower()
        return f"{scheme}://{re.sub(r'(?<!^):443$', '', host) if scheme == 'https' else host}"

    @property
    def hidden(self) -> str:
        """Path and query, as they were written; empty for an address that is written as it is shown."""
        return "".join(re.split(r"([/?])", self.get_secret_value().partition("://")[2], maxsplit=1)[1:])

    @property
    def has_path(self) -> bool:
        """Whether there is more to it than what is shown and the root of that server."""
        return self.hidden not in ("", "/")

    @property
    def root(self) -> "SecretUrl":
        """The root of its server. It ends in a slash, so that it is not taken for an address of which part is shown."""
        return type(self)(f"{self.shown}/")

    def asks_for(self, held: "SecretUrl") -> bool:
        """True if it is this address, or its displayed form, as sent back by a user who may not see more."""
        return self == held or (not self.hidden and self.shown == held.shown)

    def is_quoted_in(self, text: str) -> bool:
        """Whether a text gives away part of what is hidden, as servers do that quote what they were asked for."""
        said = text.lower() + unquote(html.unescape(text)).lower()
        parts = {part for part in re.split(r"[/?&=;]+", self.hidden) if len(part) >= _SHORTEST}
        parts |= {self.hidden} if self.has_path else set()
        return any(part.lower() in said or unquote(part).lower() in said for part in parts)


class WebUrl(SecretUrl):
    """One that may be without TLS."""

    SCHEMES: ClassVar[str] = "https?"
