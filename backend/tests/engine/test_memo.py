"""What is remembered of earlier documents of the exports is used only while the rows are the same."""

import pytest
from sqlalchemy import update

from backend.tests.engine.conftest import Appliance
from backend.tests.engine.test_exportset import document, furnish
from lunette.domain.exports import AdoptedBackstore, ExportSet
from lunette.domain.sizes import GIB
from lunette.engine.exports import exportset
from lunette.engine.exports.memo import Memo
from lunette.store.resources import Volume

ADOPTED = AdoptedBackstore(path="core/iblock_0/disk1", vendor="ACME", product="disk", revision="1", attributes=())
CHANGED: dict[str, object] = {
    "name": "renamed",
    "size_bytes": 2 * GIB,
    "backing_name": "v-renamed",
    "uuid": "0" * 8 + "-0000-0000-0000-" + "0" * 12,
    "serial": "1" * 32,
    "naa": "6" + "1" * 31,
    "nguid": "1" * 32,
    "eui64": "1" * 16,
    "without_nguid": True,
    "backstore": ADOPTED.model_dump_json(),
}


@pytest.mark.parametrize("column", CHANGED)
def test_any_change_of_a_row_of_a_volume_is_in_the_next_document(appliance: Appliance, column: str) -> None:
    """Also one that no change of the product makes."""
    furnish(appliance)
    memo = Memo()

    def remembered() -> ExportSet:
        with appliance.store.read() as tx:
            return exportset.build(tx, appliance.store.box, memo)

    first = remembered()
    assert [was is now for was, now in zip(first.volumes, remembered().volumes, strict=True)] == [True, True]
    with appliance.store.write() as tx:
        tx.execute(update(Volume).where(Volume.name == "v2").values({column: CHANGED[column]}))
    second = remembered()
    assert second == document(appliance)
    assert [was == now for was, now in zip(first.volumes, second.volumes, strict=True)].count(False) == 1
