/** Hosts and what they reach: groups, mappings, sessions. */
import { bound, find, json, page, shown } from '../answers'
import * as bulk from '../bulk'
import * as hosts from '../hosts'
import * as mappings from '../mappings'
import type { Handlers } from '../operation'
import { disconnect } from '../sessions'
import * as ways from '../ways'

export const ACCESS = {
  hostList: ({ world, query }) => page(world.hosts, query),
  hostCreate: ({ world, body }) => hosts.createHost(world, body),
  hostShow: ({ world, path }) => shown(find(world.hosts, path.host)),
  hostDeleteBatch: ({ world, body }) => bulk.deleteHosts(world, body),
  hostPatch: ({ world, path, body, request }) =>
    hosts.patchHost(world, bound(world.hosts, path.host, request), body),
  hostDelete: ({ world, path, request }) => hosts.deleteHost(world, bound(world.hosts, path.host, request)),
  hostKit: ({ world, path, query }) =>
    ways.kitOf(world, find(world.hosts, path.host), query.secrets ?? false),
  hostPaths: ({ world, path }) => json(ways.paths(find(world.hosts, path.host).name)),
  hostVerifyPaths: ({ world, path, body }) => ways.tryPaths(world, find(world.hosts, path.host), body),
  hostGroupList: ({ world, query }) => page(world.hostGroups, query),
  hostGroupCreate: ({ world, body }) => hosts.createGroup(world, body),
  hostGroupShow: ({ world, path }) => shown(find(world.hostGroups, path.host_group)),
  hostGroupPatch: ({ world, path, body, request }) =>
    hosts.patchGroup(world, bound(world.hostGroups, path.host_group, request), body),
  hostGroupDelete: ({ world, path, request }) =>
    hosts.deleteGroup(world, bound(world.hostGroups, path.host_group, request)),
  initiatorList: ({ world, query }) => page(world.initiators, query),
  mappingList: ({ world, query }) => page(world.mappings, query),
  mappingCreate: ({ world, body }) => mappings.createMapping(world, body),
  mappingCreateBatch: ({ world, body }) => mappings.createMappings(world, body),
  mappingDeleteBatch: ({ world, body }) => bulk.deleteMappings(world, body),
  mappingShow: ({ world, path }) => shown(find(world.mappings, path.mapping)),
  mappingDelete: ({ world, path, request }) =>
    mappings.deleteMapping(world, bound(world.mappings, path.mapping, request)),
  sessionList: ({ world, query }) =>
    json({ ...page(world.sessions, query).body, unseen: world.unseenSessions }),
  sessionDisconnect: ({ world, path }) => disconnect(world, find(world.sessions, path.session)),
} satisfies Partial<Handlers>
