"""The modules cover the API: every operation, every field; exceptions are named with a reason, and none is stale."""

import copy
from dataclasses import replace
from pathlib import Path

import pytest

from lunette_collection.document import NOT_OPTIONS, Document, Json, load
from lunette_collection.options import FIELD_WORDS, OWN, info_options, noun_options, place, verb_options
from lunette_collection.write import files, texts

DOCUMENT = load()
NOUNS = {noun.name: noun for noun in DOCUMENT.nouns()}


def _covered(document: Document) -> set[str]:
    nouns = {one.id for noun in document.nouns() for one in noun.operations.values()}
    infos = {one.id for info in document.infos() for one in (info.listed, info.shown, info.asked) if one}
    return nouns | infos | document.verbs_of_fields() | {verb.operation.id for verb in document.verbs()}


def test_every_operation_has_a_module_or_a_reason() -> None:
    excepted = set(DOCUMENT.exceptions.operations)
    assert set(DOCUMENT.operations) - _covered(DOCUMENT) - excepted == set()
    assert excepted - set(DOCUMENT.operations) == set(), "these exceptions name operations that do not exist"
    assert all(DOCUMENT.exceptions.operations.values())


@pytest.mark.parametrize("name", NOUNS)
def test_every_field_of_a_noun_has_an_option_and_the_reverse(name: str) -> None:
    noun = NOUNS[name]
    bodies = {field for verb in ("create", "patch") for field in DOCUMENT.body(noun.operations.get(verb))}
    options = set(noun_options(DOCUMENT, noun))
    assert bodies - options == set()
    assert options - bodies - OWN - {one["name"] for one in place(noun)} == set()


def test_every_field_of_a_verb_and_every_filter_of_a_list_has_an_option() -> None:
    for verb in DOCUMENT.verbs():
        assert set(DOCUMENT.body(verb.operation)) <= set(verb_options(DOCUMENT, verb)), verb.name
    for info in DOCUMENT.infos():
        asked = info.listed or info.asked
        filters = {one["name"] for one in asked.parameters("query")} if asked else set()
        assert filters - NOT_OPTIONS <= set(info_options(DOCUMENT, info)), info.name


def test_words_of_the_generator_are_about_options_that_exist() -> None:
    modules = {
        **{name: noun_options(DOCUMENT, noun) for name, noun in NOUNS.items()},
        **{verb.name: verb_options(DOCUMENT, verb) for verb in DOCUMENT.verbs()},
    }
    assert set(FIELD_WORDS) <= {f"{name}.{option}" for name, options in modules.items() for option in options}


def test_exceptions_of_fields_name_what_exists_and_say_why() -> None:
    known = {
        f"{noun.name}.{name}"
        for noun in DOCUMENT.nouns()
        for verb in ("create", "patch")
        for name in DOCUMENT.body(noun.operations.get(verb))
    }
    assert set(DOCUMENT.exceptions.fields) <= known
    assert all(one["reason"] for one in DOCUMENT.exceptions.fields.values())
    assert all([*DOCUMENT.exceptions.inner.values(), *DOCUMENT.exceptions.harmless.values()])
    assert set(DOCUMENT.exceptions.harmless) <= {verb.operation.id for verb in DOCUMENT.verbs()}
    assert set(DOCUMENT.exceptions.names) <= set(DOCUMENT.operations)
    assert set(DOCUMENT.exceptions.keys) <= {noun.name for noun in DOCUMENT.nouns()}


def test_exceptions_inside_of_fields_name_what_exists() -> None:
    whole = Document(DOCUMENT.spec, replace(DOCUMENT.exceptions, inner={}))
    options = {verb.name: verb_options(whole, verb) for verb in whole.verbs()}
    for path in DOCUMENT.exceptions.inner:
        module, *steps = path.split(".")
        inside = options[module]
        for step in steps:
            assert step in inside, f"{path} does not exist"
            inside = inside[step].suboptions


def test_a_field_that_is_never_shown_is_a_secret_or_named() -> None:
    """Otherwise a play could never be idempotent, and no one would notice."""
    for noun in DOCUMENT.nouns():
        text = texts(DOCUMENT)[noun.name]
        for line in text.splitlines():
            if ": Field(" in line and "shown=" not in line and "secrets=" not in line:
                name = line.split('"')[1]
                assert f"{noun.name}.{name}" in DOCUMENT.exceptions.fields, f"{noun.name}.{name} is not in the answer"


def test_the_modules_in_the_tree_are_those_of_the_document() -> None:
    assert [str(path) for path, text in files(DOCUMENT) if path.read_text() != text] == []


def _in_path(name: str) -> Json:
    return {"name": name, "in": "path", "description": "ID.", "required": True, "schema": {"type": "string"}}


def _with_changes() -> Document:
    spec = copy.deepcopy(DOCUMENT.spec)
    schemas, paths = spec["components"]["schemas"], spec["paths"]
    for name in ("VolumeCreate", "VolumePatch", "Volume"):
        schemas[name]["properties"]["limit_iops"] = {
            "description": "Most I/O of a second.",
            "anyOf": [{"type": "integer"}, {"type": "null"}],
        }
    disk = {"description": "ID of the disk.", "type": "string"}
    schemas["ArrayMove"] = {"properties": {"disk": disk}, "required": ["disk"], "type": "object"}
    verb = copy.deepcopy(paths["/api/v1/arrays"]["post"])
    verb["operationId"] = "array_move"
    verb["parameters"].append(_in_path("array"))
    verb["requestBody"]["content"]["application/json"]["schema"]["$ref"] = "#/components/schemas/ArrayMove"
    paths["/api/v1/arrays/{array}:move"] = {"post": verb}
    return Document(spec, DOCUMENT.exceptions)


def test_a_new_field_becomes_an_option_by_itself() -> None:
    text = texts(_with_changes())["volume"]
    assert '"limit_iops": Field(create=True, patch=True, shown=("limit_iops",))' in text
    assert 'choices": ["limit_iops"]' in text, "what can be null in the answer can be cleared"


def test_a_new_verb_becomes_a_module_by_itself() -> None:
    text = texts(_with_changes())["array_move"]
    assert 'run_verb(ARGUMENTS, "/arrays/{array}:move", BODY)' in text
    assert '"destroy_data"' in text


def test_a_noun_inside_another_one_takes_that_one_as_an_option() -> None:
    spec = copy.deepcopy(DOCUMENT.spec)
    paths = spec["paths"]
    for path, method, verb in (("", "post", "create"), ("", "get", "list"), ("/{host_group}", "get", "show")):
        operation = copy.deepcopy(paths[f"/api/v1/host-groups{path}"][method])
        operation["operationId"] = f"snapshot_{verb}"
        operation["parameters"].append(_in_path("volume"))
        nested = "/api/v1/volumes/{volume}/snapshots" + path.replace("host_group", "snapshot")
        paths.setdefault(nested, {})[method] = operation
    modules = texts(Document(spec, DOCUMENT.exceptions))
    assert 'create="/volumes/{volume}/snapshots"' in modules["snapshot"]
    assert 'item="/volumes/{volume}/snapshots/{snapshot}"' in modules["snapshot"]
    assert '"volume": Field(),' in modules["snapshot"]
    assert '"volume": {\n        "type": "str",\n        "required": True,' in modules["snapshot_info"]


def test_a_noun_without_a_name_is_refused_until_its_key_is_given() -> None:
    spec = copy.deepcopy(DOCUMENT.spec)
    del spec["components"]["schemas"]["PortalCreate"]["properties"]["name"]
    with pytest.raises(SystemExit, match=r"portal has no name: say in exceptions\.toml"):
        list(Document(spec, DOCUMENT.exceptions).nouns())


def test_a_field_with_the_name_of_a_common_option_is_refused() -> None:
    spec = copy.deepcopy(DOCUMENT.spec)
    spec["components"]["schemas"]["VolumeCreate"]["properties"]["wait"] = {"description": "Waits.", "type": "boolean"}
    with pytest.raises(SystemExit, match="volume: the field wait"):
        texts(Document(spec, DOCUMENT.exceptions))


def test_no_text_of_this_machine_is_in_a_module() -> None:
    assert not [name for name, text in texts(DOCUMENT).items() if str(Path.cwd()) in text]
