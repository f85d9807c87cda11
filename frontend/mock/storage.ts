/** Rows of the mock world that are about storage: disks, one array, volumes. */
import type { Disk, DiskHardware, Engine, EngineLevel, StorageArray, Volume } from '@/api'
import { MADE } from './made'

export const GIB = 2 ** 30
export const ARRAY_BYTES = 26_885_291_876_352
export const two = (number: number): string => String(number).padStart(2, '0')

const hardware = (rotational: boolean): DiskHardware => ({
  device: '/dev/null',
  wwn: null,
  firmware: 'GDC5902Q',
  rotational,
  logical_block_bytes: 512,
  physical_block_bytes: 4096,
  write_cache: true,
  numa_node: 0,
  links: [],
  partitions: 0,
  signatures: [],
  holders: [],
  mounts: [],
  fabric: false,
})

export function nvmeDisk(number: number): Disk {
  const serial = `S64HNE0T5${two(number)}118`
  return {
    id: `nvme-SAMSUNG_MZQL23T8HCLS-00A07_${serial}`,
    state: 'member',
    serial,
    model: 'SAMSUNG MZQL23T8HCLS-00A07',
    transport: 'nvme',
    size_bytes: 3_840_755_982_336,
    array: 'tank',
    array_id: 'array-1',
    slot: number - 1,
    occupied_by: null,
    wipeable: false,
    observed: hardware(false),
    age_s: 1,
  }
}

export function sasDisk(number: number, change: Partial<Disk> = {}): Disk {
  return {
    id: `scsi-35000c500a1b2c3${two(number)}`,
    state: 'free',
    serial: `ZL2A0${two(number)}Q`,
    model: 'ST12000NM004J',
    transport: 'sas',
    size_bytes: 12_000_138_625_024,
    array: null,
    array_id: null,
    slot: null,
    occupied_by: null,
    wipeable: false,
    observed: hardware(true),
    age_s: 1,
    ...change,
  }
}

export function tank(members: Disk[], volumes: number): StorageArray {
  return {
    id: 'array-1',
    name: 'tank',
    engine: 'md',
    level: 'raid5',
    state: 'ready',
    health: 'resyncing',
    uuid: '5d0c9f3e71a24b8899c0de55aa10f2b7',
    usable_bytes: ARRAY_BYTES,
    free_bytes: ARRAY_BYTES - volumes * 512 * GIB,
    chunk_bytes: 65_536,
    layout: null,
    write_hole: 'ppl',
    group_data_disks: null,
    distributed_spares: null,
    growing: false,
    thin_pool: {
      size_bytes: 2_048 * GIB,
      used_bytes: 1_270 * GIB,
      metadata_bytes: 8 * GIB,
      metadata_used_bytes: 0.9 * GIB,
      volumes: 1,
    },
    sync_speed_min_bytes_s: null,
    sync_speed_max_bytes_s: null,
    group_thread_cnt: null,
    stripe_cache_size: null,
    skip_copy: null,
    scheduler: null,
    health_command: null,
    tuning: [
      {
        name: 'group_thread_cnt',
        value: '4',
        automatic: true,
        why: 'half of 8 cores, at most 4: more were not faster',
        observed: '4',
      },
      {
        name: 'stripe_cache_size',
        value: '256',
        automatic: true,
        why: "the kernel's own: 8 MiB with 8 disks, of 1/32 of 64 GiB memory",
        observed: '256',
      },
    ],
    members: members.map(({ id, serial }, slot) => ({
      disk_id: id,
      serial,
      role: 'data',
      slot,
      state: 'in_sync',
      leaving: false,
    })),
    volumes,
    deleted_bytes: 0,
    observed: {
      age_s: 1,
      device: '/dev/md127',
      write_hole: 'ppl',
      layout: null,
      free_distributed_spares: null,
      progress: { action: 'resync', percent: 41.7, rate_bytes_s: 1_431_655_765, left_s: 1_460 },
      mismatch_count: 0,
      last_scrub: 'check',
      health_words: null,
    },
    created_at: MADE,
    updated_at: MADE,
  }
}

export function volume(number: number, change: Partial<Volume> = {}): Volume {
  return {
    id: `volume-${number}`,
    name: `lun${two(number)}`,
    description: '',
    array: 'tank',
    array_id: 'array-1',
    size_bytes: 512 * GIB,
    provisioning: 'thick',
    can_snapshot: false,
    state: 'ready',
    uuid: `3f1a4d5e-0000-4000-8000-0000000000${two(number)}`,
    serial: `4c55${two(number)}e0a1`,
    naa: `naa.6f4a1c0d2e7b${two(number)}5893a0b4c1d2e3f4${two(number)}`,
    nguid: '',
    eui64: '',
    mapped_to: [
      {
        mapping_id: `mapping-${number}`,
        host: `host${Math.ceil(number / 8)}`,
        host_group: null,
        family: 'scsi',
        lun: ((number - 1) % 8) + 1,
      },
    ],
    export: { state: 'open', reason: null },
    observed: null,
    created_at: MADE,
    updated_at: MADE,
    ...change,
  }
}

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
  verbs:
    name === 'raid0'
      ? ['tune']
      : ['add_spares', 'grow', 'replace', 'fail', 'remove', 'readd', 'scrub', 'pace', 'tune'],
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
  health_commands: [],
  needs: [],
  ...change,
})

const NO_RDMA = 'this machine has no RDMA device: install an RDMA network card'

/** What serves volumes, on a machine with RDMA or without. */
export const exportEngines = (hasRdma = false): Engine[] =>
  (
    [
      ['lio', 'iscsi', 'iser'],
      ['nvmet', 'nvme-tcp', 'nvme-rdma'],
    ] as const
  ).map(([name, tcp, rdma]) =>
    engine(name, 'export', {
      protocols: hasRdma ? [tcp, rdma] : [tcp],
      lacking: hasRdma ? [] : [`${rdma}: ${NO_RDMA}`],
    }),
  )

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
