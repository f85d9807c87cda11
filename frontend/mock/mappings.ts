/** Portals and mappings of the mock: where hosts knock, and what they find. */
import type {
  Host,
  HostGroup,
  Mapping,
  MappingBatch,
  MappingCreate,
  MappingList,
  PlanVolume,
  Portal,
  PortalCreate,
  PortalPatch,
  RdmaDevice,
} from '@/api'
import { json, noContent, plan, refusal } from './answers'
import type { Gone, Line, Made, Planned, Shown } from './answers'
import { recorded } from './journal'
import { MADE, freshId } from './made'
import type { World } from './world'

export const softRoce = (address: string): RdmaDevice => ({
  id: 'rxe0/1',
  interface: 'eth1',
  link_layer: 'Ethernet',
  state: 'active',
  physical_state: 'linkup',
  rate: '2.5 Gb/sec (1X SDR)',
  mtu_bytes: 1500,
  firmware: null,
  node_guid: '5054:00ff:fe4c:5502',
  addresses: [{ address, gid_index: 1, gid: '', kind: 'RoCE v2', interface: 'eth1' }],
  reason: null,
  lossless: null,
  hint: null,
  age_s: 1,
})

export function portal(name: string, change: Partial<Portal> = {}): Portal {
  return {
    id: `portal-${name}`,
    name,
    protocol: 'iscsi',
    engine: 'lio',
    address: '10.20.0.2',
    port: 3260,
    state: 'open',
    reason: null,
    former_places: [],
    created_at: MADE,
    updated_at: MADE,
    ...change,
  }
}

export function patchPortal(world: World, row: Portal, body: PortalPatch): Planned<Shown<Portal>> | Response {
  const after = { address: body.address ?? row.address, port: body.port ?? row.port }
  const clash = world.portals.find(
    (one) => one !== row && one.address === after.address && one.port === after.port,
  )
  if (clash)
    return refusal(
      `Portal ${row.name} was not changed`,
      [
        [
          'address',
          `portal ${clash.name} already listens on ${after.address}:${after.port}; use another port`,
        ],
      ],
      409,
    )
  const lines: Line[] = []
  if (body.name) lines.push(['change', 'portal', row.name, `becomes ${body.name}; hosts do not notice it`])
  if (after.address !== row.address || after.port !== row.port)
    lines.push([
      'change',
      'portal',
      row.name,
      `${after.address}:${after.port} opens, then ${row.address}:${row.port} is closed`,
    ])
  return {
    plan: plan(`Change portal ${row.name}`, lines),
    apply: () => {
      if (lines.length > Number(Boolean(body.name)))
        row.former_places = [{ address: row.address, port: row.port }]
      Object.assign(row, after, { name: body.name ?? row.name })
      return json(row)
    },
  }
}

export function createPortal(world: World, body: PortalCreate): Planned<Made<Portal>> | Response {
  const port = body.port ?? 3260
  const clash = world.portals.find((one) => one.address === body.address && one.port === port)
  if (clash)
    return refusal(
      `Portal ${body.name} was not created`,
      [['address', `portal ${clash.name} already listens on ${body.address}:${port}; use another port`]],
      409,
    )
  return {
    plan: plan(`Create portal ${body.name}`, [
      ['create', 'portal', body.name, `${body.protocol} on ${body.address}:${port}`],
    ]),
    apply: () => {
      const fresh = portal(body.name, {
        id: freshId('portal'),
        address: body.address,
        port: body.protocol === 'nvme-fc' ? null : port,
        protocol: body.protocol ?? 'iscsi',
        engine: body.engine ?? 'lio',
      })
      world.portals.push(fresh)
      return json(fresh, 201)
    },
  }
}

export function deletePortal(world: World, row: Portal): Planned<Gone> {
  const connected = world.sessions.map((one) => one.host ?? '')
  return {
    plan: plan(
      `Delete portal ${row.name}`,
      [
        ['destroy', 'portal', row.name, `${row.address}:${row.port} closes`],
        ...connected.map((name): Line => ['interrupt', 'host', name, 'loses its sessions']),
      ],
      {
        hosts_interrupted: connected,
        warnings: ['This is the last portal: no host can reach any volume without it.'],
      },
    ),
    apply: () => {
      world.portals = world.portals.filter((one) => one !== row)
      return noContent()
    },
  }
}

function ownerOf(world: World, spec: MappingCreate): Host | HostGroup | undefined {
  const rows: (Host | HostGroup)[] = spec.host ? world.hosts : world.hostGroups
  const reference = spec.host ?? spec.host_group
  return rows.find((one) => one.id === reference || one.name === reference)
}

const isGroup = (owner: Host | HostGroup): owner is HostGroup => 'host_ids' in owner

function newMapping(world: World, spec: MappingCreate, taken: Set<number>): Mapping | [string, string] {
  const volume = world.volumes.find((one) => one.id === spec.volume || one.name === spec.volume)
  const owner = ownerOf(world, spec)
  if (!volume || !owner) return ['volume', 'there is no such volume or host']
  if (volume.mapped_to.length && !spec.shared)
    return [
      'volume',
      `volume ${volume.name} is mapped to ${volume.mapped_to[0]?.host}; a second owner corrupts its data unless both use a cluster file system: set shared: true to allow this`,
    ]
  for (const one of world.mappings)
    if (one.host_id === owner.id || one.host_group_id === owner.id) taken.add(one.lun)
  let lun = spec.lun ?? 1
  while (taken.has(lun)) lun += 1
  taken.add(lun)
  return {
    id: freshId('mapping'),
    volume: volume.name,
    volume_id: volume.id,
    host: isGroup(owner) ? null : owner.name,
    host_id: isGroup(owner) ? null : owner.id,
    host_group: isGroup(owner) ? owner.name : null,
    host_group_id: isGroup(owner) ? owner.id : null,
    lun,
    shared: spec.shared ?? false,
    family: spec.family ?? 'scsi',
    target_iqn: spec.family === 'nvme' ? null : owner.target_iqn,
    subsystem_nqn: spec.family === 'nvme' ? `nqn.2026-11.io.lunette:${owner.name}` : null,
    state: 'open',
    reason: null,
    created_at: MADE,
    updated_at: MADE,
  }
}

function mapped<Body>(world: World, fresh: Mapping[], answer: Body): Planned<Made<Body>> {
  const title = fresh.length === 1 ? `Map volume ${fresh[0]?.volume}` : `Map ${fresh.length} volumes`
  const warnings = fresh
    .filter((one) => one.shared)
    .map(
      (one) =>
        `Volume ${one.volume} will have several owners: without a cluster file system its data will be corrupted.`,
    )
  return {
    plan: plan(
      title,
      fresh.map((one) => [
        'create',
        'mapping',
        one.volume,
        `LUN ${one.lun} of ${one.host ?? one.host_group}`,
      ]),
      { warnings },
    ),
    apply: () => {
      for (const one of fresh) {
        world.mappings.push(one)
        const volume = world.volumes.find(({ id }) => id === one.volume_id)
        volume?.mapped_to.push({
          mapping_id: one.id,
          host: one.host,
          host_group: one.host_group,
          family: one.family,
          lun: one.lun,
        })
        if (volume) volume.export = { state: 'open', reason: null }
      }
      const undo = () => fresh.forEach((one) => take(world, one))
      return json(answer, 201, recorded(world, 'mapping', title, undo))
    },
  }
}

/** A volume leaves a host or group. */
export function take(world: World, row: Mapping): void {
  world.mappings = world.mappings.filter((one) => one.id !== row.id)
  const volume = world.volumes.find(({ id }) => id === row.volume_id)
  if (volume) volume.mapped_to = volume.mapped_to.filter((one) => one.mapping_id !== row.id)
}

export function createMapping(world: World, spec: MappingCreate): Planned<Made<Mapping>> | Response {
  const found = newMapping(world, spec, new Set())
  return Array.isArray(found)
    ? refusal('The mapping was not created', [found], 409)
    : mapped(world, [found], found)
}

export function createMappings(world: World, body: MappingBatch): Planned<Made<MappingList>> | Response {
  const taken = new Set<number>()
  const fresh: Mapping[] = []
  for (const spec of body.mappings ?? []) {
    const found = newMapping(world, spec, taken)
    if (Array.isArray(found)) return refusal('The mapping was not created', [found], 409)
    fresh.push(found)
  }
  return mapped(world, fresh, { items: fresh })
}

function usedVolume(world: World, name: string): PlanVolume {
  const iops = world.iops[name] ?? null
  return { name, iops, last_io_at: iops ? new Date().toISOString() : null, busy: Boolean(iops) }
}

export function deleteMapping(world: World, row: Mapping): Planned<Gone> {
  const owner = row.host ?? row.host_group ?? ''
  const isLoggedIn = world.sessions.some((one) => one.host === row.host)
  return {
    plan: plan(
      `Unmap volume ${row.volume} from ${owner}`,
      [
        ['destroy', 'mapping', row.volume, `${owner} loses LUN ${row.lun}`],
        ...(isLoggedIn
          ? [['interrupt', 'host', owner, `loses volume ${row.volume} while logged in`] satisfies Line]
          : []),
      ],
      { hosts_interrupted: isLoggedIn ? [owner] : [], volumes: [usedVolume(world, row.volume)] },
    ),
    apply: () => {
      take(world, row)
      return noContent()
    },
  }
}
