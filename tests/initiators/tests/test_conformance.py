"""Reading what iscsi-test-cu prints."""

from tests.initiators.conformance import Asked, read_output

PRINTED = """\
Suite: Example
  Test: Simple ...
    Send VERIFY10 (Expecting SUCCESS) LBA:0
    [OK] VERIFY10 returned SUCCESS
passed
  Test: Mismatch ...
    [FAILED] VERIFY10 successful but should have failed
FAILED
    1. test_verify10_mismatch.c:50  - CU_ASSERT_EQUAL(_r,0)
  Test: Unaligned ...    [SKIPPED] LBPPB < 2. Skipping test
passed
  Test: Last ...
    it never ended


Run Summary:    Type  Total
               tests      4
"""


def test_each_test_has_its_outcome_and_one_that_did_not_end_has_failed() -> None:
    assert read_output("Example", PRINTED) == [
        Asked("Example", "Simple", "passed", ""),
        Asked("Example", "Mismatch", "failed", "VERIFY10 successful but should have failed"),
        Asked("Example", "Unaligned", "skipped", "LBPPB < 2. Skipping test"),
        Asked("Example", "Last", "failed", "it never ended"),
    ]
