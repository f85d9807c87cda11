"""Names of initiators as the standards have them: one canonical form, and nothing that is more to a shell or a path."""

from collections.abc import Callable

import pytest

from lunette.domain.names import check_iqn, check_nqn, check_wwpn

UUID = "4c4c4544-004d-3510-8052-b4c04f595831"
TAKEN = [
    (check_iqn, "iqn.2026-03.com.example:db-2.fra:a", "iqn.2026-03.com.example:db-2.fra:a"),
    (check_iqn, " IQN.2026-03.COM.EXAMPLE:DB2 ", "iqn.2026-03.com.example:db2"),
    (check_iqn, "iqn.1991-05.com.microsoft", "iqn.1991-05.com.microsoft"),
    (check_iqn, "iqn.2019-10.workgroup:nas.vol1", "iqn.2019-10.workgroup:nas.vol1"),
    (check_iqn, "iqn.2026-03.com.example:größe", "iqn.2026-03.com.example:größe"),
    (check_iqn, "eui.0025388B710122FF", "eui.0025388b710122ff"),
    (check_iqn, "naa.5000C5009A1B2C3D", "naa.5000c5009a1b2c3d"),
    (check_iqn, "naa.6001405AABBCCDD00112233445566778", "naa.6001405aabbccdd00112233445566778"),
    (check_nqn, f"nqn.2014-08.org.nvmexpress:uuid:{UUID}", f"nqn.2014-08.org.nvmexpress:uuid:{UUID}"),
    (check_nqn, f"nqn.2014-08.org.nvmexpress:uuid:{UUID.upper()}", f"nqn.2014-08.org.nvmexpress:uuid:{UUID.upper()}"),
    (check_nqn, "nqn.2014-08.com.vmware:nvme:esx_07", "nqn.2014-08.com.vmware:nvme:esx_07"),
    (check_wwpn, "50014380186B7F44", "50:01:43:80:18:6b:7f:44"),
    (check_wwpn, "naa.c0507606d56a0002", "c0:50:76:06:d5:6a:00:02"),
    (check_wwpn, "0x21000024ff7f0a01", "21:00:00:24:ff:7f:0a:01"),
]
REFUSED: list[tuple[Callable[[str], str], str]] = [
    *(
        (check_iqn, f"iqn.2026-03.com.example:x{odd}")
        for odd in (
            "$(reboot)",
            "`id`",
            ";ls",
            "'",
            '"',
            "*",
            ",y",
            "_1",
            "\\",
            "|",
            "\x1b[2J",
            "\u202e",
            "\u0663",
            "a b",
            "/..",
            "\ny",
            "\x00",
            "\x9b31m",
            "\u200b",
            "\uff41",
            "\ufb01",
            "o\u0308",
        )
    ),
    (check_iqn, "iqn.2026-13.com.example:x"),
    (check_iqn, "iqn.2026-03.-example:x"),
    (check_iqn, "iqn.2026-03.com..example:x"),
    (check_iqn, "iqn.2026-03.com.example:"),
    (check_iqn, "iqn.\u0662026-03.com.example:x"),
    (check_iqn, "eui.0025388b710122f"),
    (check_iqn, "naa.5000c5009a1b2c3d00"),
    (check_iqn, "iqn.2026-03.com.example:" + "x" * 200),
    (check_iqn, "iqn.2026-03.com.example:\ud800"),
    (check_nqn, f"nqn.2014-08.org.nvmexpress:uuid:{UUID.replace('-', '')}"),
    (check_nqn, "nqn.2014-08.org.nvmexpress:uuid:mine"),
    (check_nqn, "nqn.2026-03.com.example:x\n"),
    (check_nqn, "nqn.2026-03.com.example:a b"),
    (check_nqn, "nqn.2026-03.com.example:a/b"),
    (check_nqn, "nqn.2026-03.com.example:\x07"),
    (check_nqn, "nqn.2026-03.com.example:\u202e"),
    (check_nqn, "nqn.2026-03.com.-example:a"),
    (check_nqn, "nqn.2026-03.com..example:a"),
    (check_nqn, "nqn.2014-08.org.nvmexpress.discovery"),
    (check_wwpn, "0000000000000000"),
    (check_wwpn, "ffffffffffffffff"),
    (check_wwpn, "3000000000000001"),
    (check_wwpn, "21000024ff7f0a0"),
    (check_wwpn, "21:00:00:24:ff:7f:0a:0g"),
]


@pytest.mark.parametrize(("check", "name", "kept"), TAKEN)
def test_a_name_is_taken_in_its_canonical_form(check: Callable[[str], str], name: str, kept: str) -> None:
    assert check(name) == kept
    assert check(kept) == kept


@pytest.mark.parametrize(("check", "name"), REFUSED)
def test_an_invalid_name_is_refused_with_what_is_expected(check: Callable[[str], str], name: str) -> None:
    with pytest.raises(ValueError, match=r"expected|at most|only|no spaces"):
        check(name)
