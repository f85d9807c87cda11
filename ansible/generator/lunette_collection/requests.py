"""Which module, with which options, does what a request of the API does: the web page shows the task of a change."""

from collections.abc import Iterator, Mapping

from lunette_collection.document import Document, Json, NounModule, Operation
from lunette_collection.options import Option, noun_options, verb_options

_CONSENTS = ("destroy_data", "in_use", "cascade", "update_secret")


def of_requests(document: Document) -> Json:
    """By operation: the module, what it does with the resource, and the options that are no fields of the request."""
    found = {}
    for noun in document.nouns():
        options = noun_options(document, noun)
        for does, operation in _changes(document, noun):
            found[operation.id] = {"module": noun.name, "does": does, "key": list(noun.key), **_own(options)}
    for verb in document.verbs():
        options = verb_options(document, verb)
        found[verb.operation.id] = {"module": verb.name, "does": "act", **_own(options)}
    return {name: found[name] for name in sorted(found)}


def _changes(document: Document, noun: NounModule) -> Iterator[tuple[str, Operation]]:
    """The changes of a noun; the operation that makes one of its fields larger is a change of that field."""
    for verb in ("create", "patch", "delete"):
        if verb in noun.operations:
            yield verb, noun.operations[verb]
    for field, exception in document.exceptions.fields.items():
        if "verb" in exception and field.partition(".")[0] == noun.name:
            yield "patch", document.operations[exception["verb"]]


def _own(options: Mapping[str, Option]) -> Json:
    found: Json = {"consents": [name for name in _CONSENTS if name in options]}
    if "clear" in options:
        found["clear"] = options["clear"].spec["choices"]
    return found
