/** What the mock says about the whole: why a volume is seen or not, and the site as one document. */
import type {
  BackupRequestWritable,
  LinkState,
  Part,
  RestoreFound,
  RestoreRequestWritable,
  Site,
  SiteRequestWritable,
  Volume,
  VolumeWhy,
} from '@/api'
import { json, plan, refusal } from './answers'
import type { Line, Planned, Shown } from './answers'
import { start } from './jobs'
import type { World } from './world'

/** A way in order, up to a portal that nobody knocks at. */
export function why(world: World, volume: Volume): VolumeWhy {
  const words: [Part, LinkState, string][] = [
    ['disk', 'ok', `all 8 disks of array ${volume.array} are present`],
    ['array', 'ok', `array ${volume.array} is clean`],
    ['volume', 'ok', `volume ${volume.name} is there and active`],
  ]
  return {
    volume: volume.name,
    chains: volume.mapped_to.map(({ host, lun }) => {
      const isIn = world.sessions.some((one) => one.host === host)
      const rest: typeof words = [
        ['export', 'ok', `the target of ${host} is open and offers LUN ${lun}`],
        ['portal', 'ok', 'portal storage-a listens on 10.20.0.2:3260'],
        [
          'session',
          isIn ? 'ok' : 'broken',
          isIn ? `${host} is logged in` : `${host} is not logged in: log it in`,
        ],
      ]
      return {
        host: host ?? null,
        sentence: isIn
          ? 'The host is connected. If it does not see the volume, rescan its disks.'
          : `The path is broken at the session: ${host} is not logged in: log it in.`,
        links: [...words, ...rest].map(([part, state, text]) => ({ part, state, words: text })),
      }
    }),
  }
}

export const site = (world: World): Site => ({
  format: 1,
  arrays: world.arrays.map(({ name, engine, level, members }) => ({
    name,
    engine,
    level,
    disks: members.map(({ disk_id }) => disk_id),
  })),
  volumes: world.volumes.map(({ name, array, size_bytes, provisioning }) => ({
    name,
    array,
    size_bytes,
    provisioning,
  })),
  hosts: world.hosts.map(({ name, os_type, iqns, wwpns, nqns }) => ({ name, os_type, iqns, wwpns, nqns })),
  host_groups: world.hostGroups.map(({ name, hosts }) => ({ name, hosts })),
  portals: world.portals.map(({ name, protocol, address, port }) => ({ name, protocol, address, port })),
  mappings: world.mappings.map(({ volume, host, host_group, lun }) => ({ volume, host, host_group, lun })),
})

/** The difference in hosts alone: enough to see how a plan of a document looks. */
export function applySite(world: World, { site: wanted, destroy = [] }: SiteRequestWritable): Planned {
  const fresh = (wanted.hosts ?? []).filter((one) => !world.hosts.some(({ name }) => name === one.name))
  const gone = world.volumes.filter(({ name }) => destroy.includes(`volume/${name}`))
  const bytes = gone.reduce((sum, one) => sum + one.size_bytes, 0)
  const found = plan(
    'Apply the site document',
    [
      ...gone.map((one): Line => ['destroy', 'volume', one.name, 'lost']),
      ...fresh.map((one): Line => ['create', 'host', one.name, 'new']),
    ],
    {
      bytes_destroyed: bytes,
      steps: [...gone, ...fresh].map(({ name }) => ({
        kind: 'site.change',
        description: `change ${name}`,
        devices: [],
        bytes_destroyed: 0,
        irreversible: gone.some((one) => one.name === name),
      })),
    },
  )
  return { plan: found, apply: () => start(world, found, 'site', () => undefined) }
}

/** Not sealed, unlike the appliance's: the passphrase stands in it, which is enough to refuse a wrong one. */
export const backup = ({ passphrase }: BackupRequestWritable): Shown<Blob> | Response =>
  passphrase.length < 12
    ? refusal('Nothing was made', [['passphrase', 'it has fewer than 12 characters']])
    : json(new Blob([`lunette-backup\n${passphrase}`], { type: 'application/octet-stream' }))

/** A backup of yesterday, which knows one volume less than is served. */
export function restore(
  world: World,
  { content, passphrase, give_up = [] }: RestoreRequestWritable,
  isRehearsal: boolean,
): Shown<RestoreFound> | Response {
  const [mark, secret] = atob(content).split('\n')
  if (mark !== 'lunette-backup') return refusal('Nothing was changed', [['content', 'this is no backup']])
  if (secret !== passphrase)
    return refusal('Nothing was changed', [['passphrase', 'it does not open the backup']])
  const [fresh] = world.mappings
  const found: RestoreFound = {
    appliance: world.status.name,
    appliance_id: world.status.appliance_id,
    made_at: '2026-11-20T18:00:00Z',
    version: world.status.version,
    schema_revision: '0042',
    has_certificate: true,
    differences: [
      { noun: 'host', name: 'old-proxy', change: 'returns' },
      { noun: 'volume', name: fresh?.volume ?? '', change: 'forgotten' },
    ],
    still_served:
      fresh && !give_up.includes(fresh.id)
        ? [{ kind: 'mapping', id: fresh.id, words: `${fresh.volume} is served to ${fresh.host}` }]
        : [],
    left_out: [],
    warnings: [],
    restored: !isRehearsal,
    kept: isRehearsal ? null : '/var/lib/lunette/api/before-restore.lunette-backup',
  }
  return json(found)
}
