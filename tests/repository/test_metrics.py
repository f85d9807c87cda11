"""The reference of metrics and the Grafana dashboard know exactly the metrics there are."""

import json
import re
from typing import Any

from lunette.api.metrics.families import FAMILIES, MOST
from tests.run.command import ROOT

_REFERENCE = ROOT / "docs/reference/metrics.md"
_DASHBOARD = ROOT / "docs/reference/grafana-dashboard.json"
_HOWTO = ROOT / "docs/howto/watch-with-prometheus.md"
_ROW = re.compile(r"^\| `(\w+)` \| (\w+) \| (.+) \| (.+) \|$", re.MULTILINE)
_NAME = re.compile(r"\blunette_\w+")
_METRICS = {metric.name: (family, metric) for family in FAMILIES for metric in family.metrics}
_FROM_PROMETHEUS = {"instance", "job"}


def _texts(node: Any, key: str) -> list[str]:
    """Every text under this key, however deep."""
    if isinstance(node, dict):
        own = [node[key]] if isinstance(node.get(key), str) else []
        return own + [text for value in node.values() for text in _texts(value, key)]
    return [text for value in node for text in _texts(value, key)] if isinstance(node, list) else []


def test_the_reference_lists_every_metric_as_it_is() -> None:
    listed = {name: (kind, labels, words) for name, kind, labels, words in _ROW.findall(_REFERENCE.read_text())}
    assert listed == {
        name: (metric.kind, ", ".join(f"`{label}`" for label in family.labels) or "–", metric.help)
        for name, (family, metric) in _METRICS.items()
    }
    assert f"{MOST:,} things" in _REFERENCE.read_text()


def test_units_are_in_the_names_and_counters_say_that_they_are() -> None:
    for name, (_, metric) in _METRICS.items():
        assert name.endswith("_total") == (metric.kind == "counter"), name
        assert not re.search(r"_(ms|mib|kib|sectors|percent)(_|$)", name), name


def test_the_dashboard_queries_metrics_that_exist_with_labels_they_have() -> None:
    dashboard = json.loads(_DASHBOARD.read_text())
    asked = _texts(dashboard["panels"], "expr") + _texts(dashboard["templating"], "query")
    assert sum("lunette_" in text for text in asked) > len(dashboard["panels"])
    for expression in asked:
        names = _NAME.findall(expression)
        assert set(names) <= set(_METRICS), expression
        known = {label for name in names for label in _METRICS[name][0].labels} | _FROM_PROMETHEUS
        labels = set(re.findall(r"(\w+)(?:=~|!~|!=|=)\"", expression))
        labels |= {word for by in re.findall(r"by \(([^)]*)\)", expression) for word in re.split(r",\s*", by)}
        assert labels <= known, expression
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            family = _METRICS[_NAME.findall(target["expr"])[0]][0]
            assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= {*family.labels, "instance"}, target


def test_counters_are_queried_as_rates() -> None:
    for expression in _texts(json.loads(_DASHBOARD.read_text())["panels"], "expr"):
        for name in _NAME.findall(expression):
            if name.endswith("_total"):
                assert f"rate({name}" in expression, expression


def test_the_howto_queries_metrics_that_exist() -> None:
    assert set(_NAME.findall(_HOWTO.read_text())) <= set(_METRICS)
