"""The table of nouns and verbs has a function for all that site documents and undo can ask for."""

import pytest

from lunette.domain.errors import LunetteError
from lunette.domain.site import SiteNoun
from lunette.domain.undo import UNDOABLE
from lunette.engine.changes.nouns import NOUNS, _cannot
from lunette.engine.context import lookup
from lunette.engine.records import states
from lunette.engine.recovery.restoring import COMPARED
from lunette.planner.site.changes import SPECS, Verb


def test_every_object_of_a_site_document_has_a_row() -> None:
    assert set(NOUNS) == set(SiteNoun)


@pytest.mark.parametrize(("verb", "noun"), [(verb, noun) for verb in Verb for noun in SPECS[verb]])
def test_every_change_that_a_site_document_can_lead_to_has_its_function(verb: Verb, noun: SiteNoun) -> None:
    if verb is Verb.CREATE:
        assert NOUNS[noun].create is not _cannot
        assert NOUNS[noun].delete is not _cannot
    else:
        assert verb in NOUNS[noun].verbs


def test_every_function_of_a_noun_can_be_requested_by_a_site_document() -> None:
    for noun, row in NOUNS.items():
        assert set(row.verbs) == {verb for verb in Verb if noun in SPECS[verb]} - {Verb.CREATE}, noun


def test_the_states_of_every_noun_are_recorded() -> None:
    """Of arrays none: they change through jobs alone."""
    assert {noun.value.replace("-", "_") for noun in SiteNoun} - set(states._READ) == {"array"}


@pytest.mark.parametrize("recorded", sorted(states._READ))
def test_undo_can_take_back_every_change_whose_states_are_recorded(recorded: str) -> None:
    noun = SiteNoun(recorded.replace("_", "-"))
    row = NOUNS[noun]
    if noun in SPECS[Verb.PATCH]:
        assert Verb.PATCH in row.verbs
    else:
        assert row.restore is not _cannot
    # What undo cannot create again is never deleted with its states recorded: volumes have their own recovery.
    assert row.restore is not _cannot or noun in (SiteNoun.VOLUME, SiteNoun.SETTING)


def test_what_is_recorded_for_undo_is_what_is_said_to_be_undoable() -> None:
    assert set(states._READ) == UNDOABLE


def test_what_is_found_by_its_name_has_a_word_for_where_it_is_missing() -> None:
    assert set(lookup.Named.__constraints__) == set(lookup._NOUNS)


def test_a_restore_shows_what_happens_to_every_noun() -> None:
    """Mappings by the hosts that gain or lose access, and the settings as one."""
    reported = {words for _, words, _ in COMPARED}
    assert {row.words for row in NOUNS.values()} - reported == {"mapping", "setting"}


def test_what_a_noun_lacks_is_refused_and_not_passed_over() -> None:
    with pytest.raises(LunetteError, match="no such change"):
        NOUNS[SiteNoun.SETTING].delete(None, ())  # type: ignore[arg-type]
