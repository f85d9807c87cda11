/** Mappings of the mock: what hosts find. */
import type {
  Host,
  HostGroup,
  Mapping,
  MappingBatch,
  MappingCreate,
  MappingList,
  PlanVolume,
  Volume,
} from '@/api'
import { json, noContent, plan, refusal } from './answers'
import type { Gone, Line, Made, Planned } from './answers'
import { recorded } from './journal'
import { MADE, freshId } from './made'
import type { World } from './world'

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
      for (const one of fresh) give(world, one)
      const undo = () => fresh.forEach((one) => take(world, one))
      return json(answer, 201, recorded(world, 'mapping', title, undo))
    },
  }
}

/** The volumes, each with what its mappings are: a mapping is served while its volume and its target are. */
export function volumesNow(world: World): Volume[] {
  const rows = new Map(world.mappings.map((one) => [one.id, one]))
  return world.volumes.map((volume) => ({
    ...volume,
    mapped_to: volume.mapped_to.map((one) => {
      const open = rows.get(one.mapping_id) ?? volume.export
      const { state, reason } = volume.export.state === 'open' ? open : volume.export
      return { ...one, state, reason }
    }),
  }))
}

/** A host or group gets a volume. */
function give(world: World, row: Mapping): void {
  world.mappings.push(row)
  const volume = world.volumes.find(({ id }) => id === row.volume_id)
  if (!volume) return
  const { id, host, host_group, family, lun } = row
  volume.mapped_to.push({ mapping_id: id, host, host_group, family, lun, state: 'open', reason: null })
  volume.export = { state: 'open', reason: null }
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

const ownerName = (row: Mapping): string => row.host ?? row.host_group ?? ''

export function deleteMappings(world: World, rows: Mapping[]): Planned<Gone> {
  const interrupted = rows.filter((row) => world.sessions.some((one) => one.host === row.host))
  const [first] = rows
  const title =
    first && rows.length === 1
      ? `Unmap volume ${first.volume} from ${ownerName(first)}`
      : `Unmap ${rows.length} volumes`
  const undo = () =>
    rows.forEach((row) => {
      give(world, row)
    })
  return {
    plan: plan(
      title,
      [
        ...rows.map((row): Line => [
          'destroy',
          'mapping',
          row.volume,
          `${ownerName(row)} loses LUN ${row.lun}`,
        ]),
        ...interrupted.map((row): Line => [
          'interrupt',
          'host',
          ownerName(row),
          `loses volume ${row.volume} while logged in`,
        ]),
      ],
      {
        hosts_interrupted: [...new Set(interrupted.map(ownerName))],
        volumes: rows.map((row) => usedVolume(world, row.volume)),
      },
    ),
    apply: () => {
      for (const row of rows) take(world, row)
      return { ...noContent(), headers: recorded(world, 'mapping', title, undo) }
    },
  }
}

export const deleteMapping = (world: World, row: Mapping): Planned<Gone> => deleteMappings(world, [row])
