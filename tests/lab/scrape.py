"""GET /metrics of an appliance, as a monitoring system reads it."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from lunette.client import Endpoint
from tests.lab.web import fetch

Labels = dict[str, str]


class Scrape:
    """The samples of one moment."""

    def __init__(self, text: str) -> None:
        self._samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]

    def sum(self, name: str, **labels: str) -> float | None:
        """The sum of all samples with these labels; None if there are none."""
        found = [s.value for s in self._samples if s.name == name and labels.items() <= s.labels.items()]
        return sum(found) if found else None


def scrape(endpoint: Endpoint) -> Scrape:
    """The current metrics."""
    return Scrape(fetch(f"{endpoint.url}/metrics", endpoint.token))
