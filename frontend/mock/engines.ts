/** The engines of the mock: what builds arrays, and what serves volumes. */
import type { Engine, EngineLevel } from '@/api'

const PACE = ['sync_speed_min_bytes_s', 'sync_speed_max_bytes_s']
const PARITY = ['raid4', 'raid5', 'raid6']

const mdOptions = (name: EngineLevel['level']): string[] => [
  ...(name === 'raid1' ? [] : ['chunk_bytes']),
  ...(name === 'raid0' ? [] : ['write_hole', 'spares', 'spare_group', ...PACE]),
  ...(name === 'raid10' ? ['layout'] : []),
  ...(PARITY.includes(name) ? ['group_thread_cnt', 'stripe_cache_size', 'skip_copy'] : []),
  'scheduler',
]

const level = (
  name: EngineLevel['level'],
  min: number,
  survives: string,
  ios: number,
  holes: EngineLevel['write_hole'],
): EngineLevel => ({
  level: name,
  min_disks: min,
  max_disks: 256,
  survives_failures: survives,
  small_write_ios: ios,
  write_hole: holes,
  layouts: name === 'raid10' ? ['n2', 'f2', 'o2', 'n3', 'f3', 'o3'] : [],
  roles: [],
  becomes: name === 'raid5' ? ['raid6'] : [],
  options: mdOptions(name),
  verbs:
    name === 'raid0'
      ? ['tune', 'release']
      : [
          'add_spares',
          'grow',
          ...(name === 'raid5' ? (['reshape'] as const) : []),
          'replace',
          'fail',
          'remove',
          'readd',
          'scrub',
          'force_start',
          'pace',
          'tune',
          'release',
        ],
})

const engine = (name: string, kind: string, change: Partial<Engine>): Engine => ({
  engine: name,
  kind,
  available: true,
  reason: null,
  levels: [],
  can_grow: false,
  can_thin: false,
  can_snapshot: false,
  can_snapshot_thick: false,
  can_snapshot_together: false,
  can_qos: false,
  reservations: true,
  compare_and_write: true,
  protocols: [],
  lacking: [],
  encryption: [],
  health_commands: [],
  needs: [],
  ...change,
})

const NO_RDMA = 'no RDMA device found: install an RDMA network card'

const NO_NVME_FC = 'no Fibre Channel port here can be an NVMe target'

/** What serves volumes, on a machine with RDMA or without, and with a port that can be an NVMe target or without. */
export const exportEngines = (hasRdma = false, hasNvmeFc = false): Engine[] =>
  (
    [
      ['lio', 'iscsi', 'iser'],
      ['nvmet', 'nvme-tcp', 'nvme-rdma'],
    ] as const
  ).map(([name, tcp, rdma]) => {
    const overFc = name === 'nvmet'
    return engine(name, 'export', {
      protocols: [tcp, ...(hasRdma ? [rdma] : []), ...(overFc && hasNvmeFc ? ['nvme-fc'] : [])],
      lacking: [
        ...(hasRdma ? [] : [{ ability: rdma, reason: NO_RDMA }]),
        ...(overFc && !hasNvmeFc ? [{ ability: 'nvme-fc' as const, reason: NO_NVME_FC }] : []),
      ],
    })
  })

export const spdkEngine = engine('spdk', 'export', { protocols: ['nvme-tcp'] })

export const mdEngine = (): Engine =>
  engine('md', 'array', {
    levels: [
      level('raid0', 2, 'none', 1, ['none']),
      level('raid1', 2, 'all disks but one', 2, ['bitmap', 'none']),
      level('raid4', 3, 'one disk', 4, ['bitmap', 'none']),
      level('raid5', 3, 'one disk', 4, ['ppl', 'bitmap', 'none']),
      level('raid6', 4, 'two disks', 6, ['bitmap', 'none']),
      level('raid10', 2, 'one disk of each mirrored pair', 2, ['bitmap', 'none']),
    ],
    needs: ['mdadm', 'md_mod'],
  })

const pool = (name: EngineLevel['level'], min: number, survives: string, ios: number): EngineLevel => ({
  ...level(name, min, survives, ios, ['copy_on_write']),
  verbs: ['add_spares', 'add_disks', 'replace', 'remove', 'scrub'],
  roles: ['spare', 'log', 'cache', 'special'],
  options: [
    ...(name === 'stripe' ? [] : ['spares']),
    ...['log', 'cache', 'special'],
    ...(name.startsWith('draid') ? ['group_data_disks', 'distributed_spares'] : []),
  ],
})

export const zfsEngine = (): Engine =>
  engine('zfs', 'array', {
    levels: [
      pool('stripe', 1, 'none', 2),
      pool('mirror', 2, 'all disks but one', 3),
      pool('raidz1', 3, 'one disk', 5),
      pool('raidz2', 4, 'two disks', 6),
      pool('raidz3', 5, 'three disks', 7),
      pool('draid1', 3, 'one disk', 5),
      pool('draid2', 4, 'two disks', 6),
      pool('draid3', 5, 'three disks', 7),
    ],
    needs: ['zpool', 'zfs (kernel module)'],
  })

export const lvmEngine = (): Engine =>
  engine('lvm', 'array', {
    levels: [
      {
        ...level('raid1', 2, 'all disks but one', 2, ['bitmap']),
        verbs: ['replace', 'scrub'],
        options: ['integrity'],
      },
    ],
    needs: ['lvm', 'dm_raid', 'dm_integrity'],
  })

export const externalEngine = (commands: string[] = []): Engine =>
  engine('external', 'array', {
    levels: [
      {
        ...level('external', 1, 'unknown to Lunette: the device determines it', 1, ['external']),
        max_disks: 1,
        verbs: [],
        options: ['health_command'],
      },
    ],
    health_commands: commands,
    needs: ['lvm', 'dm_mod'],
  })
