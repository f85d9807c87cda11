"""The table of operations and pages is complete, and says what the sources say."""

from tests.run import page_operations


def test_the_committed_table_is_that_of_the_sources() -> None:
    assert page_operations.DOCUMENT.read_text() == page_operations.text(), "run `make generate`"


def test_every_operation_has_a_page_or_a_reason() -> None:
    rows = page_operations.rows()
    assert len(rows) > 100
    assert [row.operation for row in rows if not row.pages and not row.reason] == []
    assert [row.operation for row in rows if row.parts and row.reason] == []


def test_a_dialog_is_found_on_each_page_that_opens_it() -> None:
    found = {row.operation: row for row in page_operations.rows()}
    backup = found["appliance_backup"]
    assert (backup.request, backup.pages, backup.parts) == (
        "POST /appliance:backup",
        ("Backup (`/backup`)",),
        ("BackupPanel.vue",),
    )
    assert {"Host (`/hosts/HOST`)", "Mappings (`/mappings`)"} <= set(found["mapping_create"].pages)
    assert found["search_list"].place == "every page"
    assert found["alert_show"].place == "the list of alerts holds all of each"
