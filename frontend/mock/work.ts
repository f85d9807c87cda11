/** What takes a job in the mock: arrays and volumes, cut and deleted. */
import type {
  ArrayCreateWritable,
  Plan,
  ProblemBlocker,
  StorageArray,
  Volume,
  VolumeBatch,
  VolumeCreate,
} from '@/api'
import { plan, refusal } from './answers'
import type { Line, Planned, Wrong } from './answers'
import { start } from './jobs'
import { besideOf, dataDisks, memberOf } from './layouts'
import { freshId } from './made'
import { tank, volume } from './storage'
import type { World } from './world'

const steps = (...words: [description: string, bytes?: number][]): Plan['steps'] =>
  words.map(([description, bytes]) => ({
    kind: 'step',
    description,
    devices: [],
    bytes_destroyed: bytes ?? 0,
    irreversible: bytes !== undefined,
  }))

export function createArray(world: World, body: ArrayCreateWritable): Planned | Response {
  const disks = world.disks.filter((disk) => body.disks.includes(disk.id))
  const wrong: [string, string][] = []
  if (world.arrays.some(({ name }) => name === body.name))
    wrong.push(['name', `array ${body.name} exists already`])
  const { engine = 'md' } = body
  const least = world.engines
    .find((one) => one.engine === engine)
    ?.levels.find(({ level }) => level === body.level)
  if (!least) wrong.push(['level', `engine ${engine} has no level ${body.level}`])
  else if (disks.length < least.min_disks)
    wrong.push([
      'disks',
      `${engine} ${body.level} takes ${least.min_disks} to 256 disks, not ${disks.length}`,
    ])
  for (const disk of disks)
    if (disk.state === 'occupied' && !body.wipe?.includes(disk.id))
      wrong.push([
        `disks[${body.disks.indexOf(disk.id)}]`,
        `disk ${disk.id} is not blank: ${disk.occupied_by}`,
      ])
  if (wrong.length) return refusal(`Array ${body.name} was not created`, wrong)
  const beside = besideOf(body)
  const usable = Math.min(...disks.map((disk) => disk.size_bytes ?? 0)) * dataDisks(body.level, disks.length)
  const every = [...disks, ...world.disks.filter(({ id }) => beside.some((one) => one.id === id))]
  const wiped = every.filter((disk) => body.wipe?.includes(disk.id))
  const lost = wiped.reduce((sum, disk) => sum + (disk.size_bytes ?? 0), 0)
  const found = plan(
    `Create array ${body.name}`,
    [
      ...wiped.map(
        (disk) => ['destroy', 'disk', disk.id, `${disk.occupied_by}: all data is lost`] satisfies Line,
      ),
      [
        'create',
        'array',
        body.name,
        `${body.level} of ${disks.length} disks, ${(usable / 2 ** 40).toFixed(1)} TiB usable`,
      ],
    ],
    {
      steps: steps(
        ...wiped.map((disk): [string, number] => [
          `wipe ext4 from disk ${disk.id}: its data is lost`,
          disk.size_bytes ?? 0,
        ]),
        [`create ${engine} ${body.level} of ${disks.length} disks`],
        ['create volume group'],
      ),
      devices: disks.map(({ id }) => id),
      bytes_destroyed: lost,
    },
  )
  return {
    plan: found,
    apply: () =>
      start(world, found, 'array', () => {
        const fresh: StorageArray = {
          ...tank(disks, 0),
          id: freshId('array'),
          name: body.name,
          engine,
          level: body.level,
          usable_bytes: usable,
          used_bytes: 0,
          free_bytes: usable,
          ...(engine !== 'md' && {
            tuning: [],
            thin_pool: null,
            chunk_bytes: null,
            write_hole: 'copy_on_write',
          }),
        }
        fresh.members.push(...beside.map(({ id, role }) => memberOf(world, id, role)))
        world.arrays.push(fresh)
        for (const [slot, disk] of disks.entries())
          Object.assign(disk, { state: 'member', array: body.name, array_id: fresh.id, slot })
      }),
  }
}

export function deleteArray(world: World, row: StorageArray): Planned | Response {
  if (row.volumes)
    return refusal(
      `Array ${row.name} was not deleted`,
      [['array', `it holds ${row.volumes} volumes; delete them first`]],
      409,
    )
  const found = plan(
    `Delete array ${row.name}`,
    [['destroy', 'array', row.name, `its ${row.members.length} disks become available`]],
    {
      steps: steps(['remove volume group'], [`destroy md array ${row.name}`, row.usable_bytes]),
      bytes_destroyed: row.usable_bytes,
    },
  )
  return {
    plan: found,
    apply: () =>
      start(world, found, 'array', () => {
        world.arrays = world.arrays.filter((one) => one !== row)
        for (const disk of world.disks)
          if (disk.array_id === row.id)
            Object.assign(disk, { state: 'free', array: null, array_id: null, slot: null })
      }),
  }
}

export const batchVolumes = ({ name_pattern, count, first = 1, ...rest }: VolumeBatch): VolumeCreate[] =>
  Array.from({ length: count }, (_, index) => ({
    ...rest,
    name: name_pattern.replace(/%(?:0(\d))?d/, (_all, width?: string) =>
      String(first + index).padStart(Number(width ?? 0), '0'),
    ),
  }))

export function createVolumes(world: World, specs: VolumeCreate[]): Planned | Response {
  const array = world.arrays.find(({ name, id }) => name === specs[0]?.array || id === specs[0]?.array)
  const asked = specs.reduce((sum, spec) => sum + Number(spec.size_bytes), 0)
  const taken = specs.find((spec) => world.volumes.some(({ name }) => name === spec.name))
  if (taken) return refusal('No volume was created', [['name', `volume ${taken.name} exists already`]], 409)
  if (!array || asked > (array.free_bytes ?? 0))
    return refusal(
      'No volume was created',
      [['size_bytes', 'it does not fit; request less, or free space']],
      409,
    )
  const title = specs.length === 1 ? `Create volume ${specs[0]?.name}` : `Create ${specs.length} volumes`
  const found = plan(
    title,
    specs
      .slice(0, 32)
      .map((spec) => [
        'create',
        'volume',
        spec.name,
        `${Number(spec.size_bytes) / 2 ** 30} GiB ${spec.provisioning ?? 'thick'} on ${array.name}`,
      ]),
    { steps: steps(...specs.map((spec): [string] => [`create volume ${spec.name}`]), ['finalize volumes']) },
  )
  return {
    plan: found,
    apply: () =>
      start(world, found, 'volume', () => {
        for (const spec of specs)
          world.volumes.push(
            volume(world.volumes.length + 1, {
              id: freshId('volume'),
              name: spec.name,
              size_bytes: Number(spec.size_bytes),
              description: spec.description ?? '',
              provisioning: spec.provisioning ?? 'thick',
              can_snapshot: spec.provisioning === 'thin',
              mapped_to: [],
              export: { state: 'none', reason: null },
            }),
          )
        array.volumes += specs.length
      }),
  }
}

const ownersOf = ({ mapped_to: owners }: Volume): ProblemBlocker[] =>
  owners.map(({ host, host_group: group, mapping_id: id }) => ({
    noun: host === null ? 'host_group' : 'host',
    id,
    name: host ?? group ?? '',
  }))

export const mappedTo = (row: Volume): Wrong => {
  const names = ownersOf(row).map(({ name }) => name)
  return ['volume', `it is mapped to ${names.join(', ')}; delete these mappings first`, ownersOf(row)]
}

export const unmappedFrom = (row: Volume): Line[] =>
  row.mapped_to.map((one) => [
    'destroy',
    'mapping',
    row.name,
    `${one.host ?? one.host_group} loses LUN ${one.lun}, which stays reserved for 24 hours`,
  ])

export function deleteVolume(world: World, row: Volume, cascade = false): Planned | Response {
  if (row.mapped_to.length && !cascade)
    return refusal(`Volume ${row.name} was not deleted`, [mappedTo(row)], 409)
  const found = plan(
    `Delete volume ${row.name}`,
    [
      ...unmappedFrom(row),
      ['destroy', 'volume', row.name, `${row.size_bytes / 2 ** 30} GiB of data are lost`],
    ],
    {
      steps: steps(
        ['wait until 1 export is removed and idle'],
        [`delete volume ${row.name}: its data is lost`, row.size_bytes],
      ),
      bytes_destroyed: row.size_bytes,
    },
  )
  return {
    plan: found,
    apply: () =>
      start(world, found, 'volume', () => {
        world.volumes = world.volumes.filter((one) => one !== row)
        world.mappings = world.mappings.filter((one) => one.volume_id !== row.id)
      }),
  }
}
