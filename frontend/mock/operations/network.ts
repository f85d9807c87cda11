/** Where hosts connect: portals, devices, interfaces, the firewall. */
import { bound, find, json, page, shown } from '../answers'
import * as fc from '../fc'
import * as interfaces from '../interfaces'
import * as portals from '../portals'
import type { Handlers } from '../operation'

export const NETWORK = {
  portalList: ({ world, query }) => page(world.portals, query),
  portalCreate: ({ world, body }) => portals.createPortal(world, body),
  portalShow: ({ world, path }) => shown(find(world.portals, path.portal)),
  portalPatch: ({ world, path, body, request }) =>
    portals.patchPortal(world, bound(world.portals, path.portal, request), body),
  portalDelete: ({ world, path, request }) =>
    portals.deletePortal(world, bound(world.portals, path.portal, request)),
  rdmaDeviceList: ({ world, query }) => page(world.rdmaDevices, query),
  fcPortList: ({ world, query }) => page(world.fcPorts, query),
  fcPortCreate: ({ world, body }) => fc.takeOver(world, body),
  fcPortShow: ({ world, path }) => shown(find(world.fcPorts, path.fc_port)),
  fcPortPatch: ({ world, path, body, request }) =>
    fc.setMode(bound(world.fcPorts, path.fc_port, request), body),
  fcPortDelete: ({ world, path, request }) => fc.letGo(bound(world.fcPorts, path.fc_port, request)),
  interfaceList: ({ world, query }) => page(world.interfaces, query),
  interfaceCreate: ({ world, body }) => interfaces.create(world, body),
  interfaceShow: ({ world, path }) => shown(find(world.interfaces, path.interface)),
  interfaceChange: ({ world, path, body }) =>
    interfaces.change(world, find(world.interfaces, path.interface), body),
  interfaceRemove: ({ world, path }) => interfaces.remove(world, find(world.interfaces, path.interface)),
  interfaceConfirm: ({ world, path }) => interfaces.end(world, find(world.interfaces, path.interface), true),
  interfaceRevert: ({ world, path }) => interfaces.end(world, find(world.interfaces, path.interface), false),
  firewallShow: ({ world }) => json(interfaces.firewall(world)),
} satisfies Partial<Handlers>
