"""Keys follow content, and a layer appears whole or not at all."""

import fcntl
import os
from pathlib import Path

import pytest

from lunette_image.cache import Cache, cache_root, content_key, remove_tree
from lunette_image.problem import ImageProblem


def tree(folder: Path) -> Path:
    """A small source tree."""
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg/a.py").write_text("a = 1\n")
    (folder / "pkg/link").symlink_to("a.py")
    return folder


def test_equal_trees_in_different_places_share_a_key(tmp_path: Path) -> None:
    first, second = tree(tmp_path / "one/src"), tree(tmp_path / "two/src")
    os.utime(second / "pkg/a.py", (1, 1))
    assert content_key([first]) == content_key([second])


def test_python_caches_do_not_change_a_key(tmp_path: Path) -> None:
    source = tree(tmp_path / "src")
    before = content_key([source])
    (source / "pkg/__pycache__").mkdir()
    (source / "pkg/__pycache__/a.pyc").write_text("x")
    assert content_key([source]) == before


@pytest.mark.parametrize("change", ["content", "name", "executable", "link", "word"])
def test_every_change_gives_another_key(tmp_path: Path, change: str) -> None:
    source = tree(tmp_path / "src")
    before = content_key([source], "word")
    file, link = source / "pkg/a.py", source / "pkg/link"
    match change:
        case "content":
            file.write_text("a = 2\n")
        case "name":
            file.rename(source / "pkg/b.py")
        case "executable":
            file.chmod(0o755)
        case "link":
            link.unlink()
            link.symlink_to("b.py")
    after = content_key([source], "other word" if change == "word" else "word")
    assert after != before


def test_a_layer_is_built_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    built: list[Path] = []

    def build(work: Path) -> None:
        built.append(work)
        (work / "file").write_text("x")

    key = content_key([], "layer")
    first = cache.layer("venv", key, build)
    assert cache.layer("venv", key, build) == first
    assert len(built) == 1
    assert (first / "file").read_text() == "x"


def test_a_build_that_fails_leaves_no_layer(tmp_path: Path) -> None:
    cache = Cache(tmp_path)

    def build(work: Path) -> None:
        (work / "half").write_text("x")
        raise ValueError("stopped")

    with pytest.raises(ValueError, match="stopped"):
        cache.layer("venv", content_key([], "layer"), build)
    assert [path.name for path in cache.folder.iterdir()] == [".venv.lock"]


def test_old_layers_of_the_same_kind_are_removed(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    other = cache.layer("base", content_key([], "other"), lambda work: None)
    keys = [content_key([], str(number)) for number in range(4)]
    for age, key in enumerate(keys):
        layer = cache.layer("venv", key, lambda work: None, keep=2)
        os.utime(layer, (1000 + age, 1000 + age))
    assert other.is_dir()
    assert {path.name for path in cache.folder.glob("venv-*")} == {f"venv-{key}" for key in keys[2:]}


def test_a_layer_that_is_in_use_is_not_removed(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    used = cache.layer("venv", "1" * 16, lambda work: None, keep=1)
    opened = os.open(used, os.O_RDONLY)
    fcntl.flock(opened, fcntl.LOCK_SH)
    os.utime(used, (1000, 1000))
    cache.layer("venv", "2" * 16, lambda work: None, keep=1)
    assert used.is_dir()
    os.close(opened)
    cache.layer("venv", "2" * 16, lambda work: None, keep=1)
    assert not used.is_dir()


def test_the_cache_folder_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("LUNETTE_CACHE", raising=False)
    assert cache_root() == tmp_path / "lunette"
    monkeypatch.setenv("LUNETTE_CACHE", str(tmp_path / "mine"))
    assert cache_root() == tmp_path / "mine"


def test_a_tree_with_something_mounted_inside_is_not_removed(tmp_path: Path) -> None:
    device = tmp_path / "base/root/dev/null"
    device.parent.mkdir(parents=True)
    device.touch()
    with pytest.raises(ImageProblem, match="root/dev is mounted there"):
        remove_tree(tmp_path / "base", mounts=[Path("/"), device.parent])
    assert device.exists()
    remove_tree(tmp_path / "base")
    assert list(tmp_path.iterdir()) == []
