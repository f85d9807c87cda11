"""The rule that a wrong value violates, in words for people: no regular expression, no sentence of a framework."""

from collections.abc import Mapping
from typing import Any

PATTERNS = {
    r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$": "letters, digits and . _ -, up to 63, with a letter or digit first",
    r"^[a-z0-9][a-z0-9_.-]{0,62}$": "lowercase letters, digits and . _ -, up to 63, with a letter or digit first",
    r"^[a-z0-9][a-z0-9_-]{0,62}$": "lowercase letters, digits and _ -, up to 63, with a letter or digit first",
    r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$": "letters, digits and . _ -, up to 15, with a letter or digit first",
    r"^[A-Za-z0-9+_.][A-Za-z0-9+_.-]*$": "letters, digits and + _ . -, without - first",
    r"^[A-Za-z0-9_.:@-]+$": "letters, digits and _ . : @ -",
    r"^[A-Za-z0-9][A-Za-z0-9.:-]*$": "a host name or an IP address",
    r"^[A-Za-z0-9_.-]*%(0[1-9])?d[A-Za-z0-9_.-]*$": (
        "letters, digits and . _ - with one number in the form of lun%02d or lun%d"
    ),
    r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$": "a host name without a domain: lowercase letters, digits and -, up to 63",
    r"^[0-9]{1,19}(\.[0-9]{1,9})?\s*([KkMmGgTtPp]([Ii]?[Bb])?|[Bb])?$": "a size such as 10GiB or 1.5TB",
    r"^[^/\s]+$": "an ID without spaces and /",
    r"^[\x21-\x7e]+$": "ASCII characters without spaces",
    r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$": "an email address",
    r"^[0-9a-f]{32}$": "32 lowercase hexadecimal digits",
    r"^[0-9a-f]{64}$": "64 lowercase hexadecimal digits",
    r"^([01][0-9]|2[0-3]):[0-5][0-9]$": "a time of day from 00:00 to 23:59",
    r"^https?://[^\s/?#@]+([/?][^\s#]*)?$": "an http or https URL without user name and fragment",
    r"^https://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?$": "the https address of a folder, without query",
    r"^[^:\x00-\x1f]+$": "no colon and no control character",
    r"^https://[^\s/?#@]+([/?][^\s#]*)?$": "an https URL without user name and fragment",
    r"^(array|volume|host|host-group|portal|fc-port|schedule)/[A-Za-z0-9][A-Za-z0-9_.:-]{0,62}$": (
        "a kind and a name, such as volume/lun01"
    ),
    (
        r"^((array|volume|host|host-group|portal|fc-port|schedule)/[A-Za-z0-9][A-Za-z0-9_.:-]{0,62}"
        r"|mapping/[A-Za-z0-9][A-Za-z0-9_.:-]{0,62}/host(-group)?/[A-Za-z0-9][A-Za-z0-9_.:-]{0,62}|disk/[^/\s]+)$"
    ): "a kind and a name, such as volume/lun01 or mapping/lun01/host/esx1",
}
"""Of each pattern in the API document, what it demands."""

_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}
_LIMITS = {
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
    "string_too_short": "at least {min_length} characters",
    "string_too_long": "at most {max_length} characters",
    "literal_error": "{expected}",
    "enum": "{expected}",
}
_WHOLE = {"missing": "this field is required", "extra_forbidden": "there is no such field"}


def violated_rule(error: Mapping[str, Any]) -> str:
    """The rule, of an error as Pydantic reports it. Rules of our own checks are in our words already."""
    kind, context = str(error["type"]), error.get("ctx", {})
    if context.get("field_type") == "Value":  # a secret, which has no other type
        kind = f"string_{kind}"
    if kind in _WHOLE:
        return _WHOLE[kind]
    expected = _TYPES.get(kind) or PATTERNS.get(str(context.get("pattern")))
    if kind in _LIMITS:
        expected = _LIMITS[kind].format(**context)
    return f"expected {expected}" if expected else str(error["msg"]).removeprefix("Value error, ")
