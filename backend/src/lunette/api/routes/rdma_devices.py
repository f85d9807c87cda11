"""RDMA devices, as read from the machine. Nothing about them is stored."""

from lunette.api.answers.base import Page
from lunette.api.answers.rdma_devices import RdmaDevice, rdma_device_answer
from lunette.api.answers.seen import Observed
from lunette.api.lists.paging import Paging, observed_page
from lunette.api.openapi.responses import LISTED, router
from lunette.api.requests.observed import FRESH_S
from lunette.api.requests.services import UsedServices

routes = router("/rdma-devices", "rdma devices")


@routes.get("", operation_id="rdma_device_list", response_model=Page[RdmaDevice], responses=LISTED)
def rdma_device_list(services: UsedServices, page: Paging) -> Page[RdmaDevice]:
    """Lists the RDMA devices of the appliance.

    Each entry has the state of the link, the RoCE version and the addresses that portals can use. Fails with 503 while
    the agent is unavailable.
    """
    observation = services.control.observation(FRESH_S, amid_steps=True)
    seen = Observed(observation, None)
    devices = [rdma_device_answer(device, seen) for device in observation.rdma_devices]
    found = observed_page(devices, page, "id", lambda device, _: (device.id, device.id))
    return Page(items=tuple(found.rows), next_cursor=found.next_cursor, total=found.total)
