"""The name filter for what is observed instead of stored."""

import re


def matches(pattern: str | None, *texts: str | None) -> bool:
    """True without a pattern, or if it matches one of the texts: `*` is any text, `?` one character."""
    if pattern is None:
        return True
    expression = "".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in re.sub(r"\*+", "*", pattern))
    compiled = re.compile(expression, re.IGNORECASE | re.DOTALL)
    return any(text is not None and compiled.fullmatch(text) for text in texts)
