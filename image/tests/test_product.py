"""The product's metadata is written from pyproject.toml."""

from pathlib import Path

import pytest

from lunette_image.problem import ImageProblem
from lunette_image.product import read_distribution, script_text

PROJECT = """\
[project]
name = "lunette"
version = "1.2.3"

[project.scripts]
lunette-agent = "lunette.agent.main:main"

[project.entry-points."lunette.engines"]
md = "lunette.providers.arrays.md:Md"
"""


def backend(folder: Path, text: str) -> Path:
    """A backend folder with this pyproject.toml."""
    (folder / "pyproject.toml").write_text(text)
    return folder


def test_entry_points_of_every_group_are_installed(tmp_path: Path) -> None:
    distribution = read_distribution(backend(tmp_path, PROJECT))
    assert distribution.metadata_folder == "lunette-1.2.3.dist-info"
    assert distribution.entry_points_text() == (
        "[console_scripts]\nlunette-agent = lunette.agent.main:main\n\n"
        "[lunette.engines]\nmd = lunette.providers.arrays.md:Md\n"
    )


def test_a_version_in_a_source_file_is_found(tmp_path: Path) -> None:
    text = '[project]\nname = "lunette"\n[tool.hatch.version]\npath = "version.py"\n'
    (tmp_path / "version.py").write_text('__version__ = "4.5"\n')
    assert read_distribution(backend(tmp_path, text)).version == "4.5"


def test_a_project_without_a_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImageProblem, match="neither a version"):
        read_distribution(backend(tmp_path, '[project]\nname = "lunette"\n'))


def test_a_script_runs_in_the_appliance_environment() -> None:
    lines = script_text("lunette.cli.main:main").splitlines()
    assert lines[0] == "#!/opt/lunette/bin/python3"
    assert lines[-1] == "sys.exit(main())"
