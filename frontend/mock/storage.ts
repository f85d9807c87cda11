/** Rows of the mock world that are about storage: disks, one array, volumes. */
import type { Disk, DiskHardware, DiskSeat, StorageArray, Volume } from '@/api'
import { health } from './drives'
import { MADE } from './made'

export const GIB = 2 ** 30
export const ARRAY_BYTES = 26_885_291_876_352
export const two = (number: number): string => String(number).padStart(2, '0')

const NOWHERE: DiskSeat = { pci_address: null, pci_slot: null, enclosure: null, bay: null, is_located: null }
const bay = (number: number): DiskSeat => ({
  ...NOWHERE,
  pci_address: '0000:3b:00.0',
  enclosure: '0x500304801e97c7bf',
  bay: `Slot ${two(number)}`,
  is_located: false,
})

const hardware = (rotational: boolean, signatures: DiskHardware['signatures'] = []): DiskHardware => ({
  device: '/dev/null',
  paths: ['/dev/null'],
  wwn: null,
  firmware: 'GDC5902Q',
  rotational,
  logical_block_bytes: 512,
  physical_block_bytes: 4096,
  write_cache: rotational,
  power_loss_protection: null,
  numa_node: 0,
  place: NOWHERE,
  links: [],
  partitions: 0,
  signatures,
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
    health: health({ available_spare_percent: 100, used_percent: 4, media_errors: 0 }),
    observed: { ...hardware(false), place: { ...NOWHERE, pci_address: `0000:${two(80 + number)}:00.0` } },
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
    health: health({ reallocated_sectors: 0, grown_defects: 0 }),
    observed: { ...hardware(true), place: bay(number) },
    age_s: 1,
    ...change,
  }
}

/** It carries a file system, and may be wiped. */
export const usedDisk = (number: number): Disk =>
  sasDisk(number, {
    state: 'occupied',
    occupied_by: 'it carries an ext4 signature (label backup)',
    wipeable: true,
    observed: hardware(true, [{ type: 'ext4', label: 'backup', uuid: null }]),
  })

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
    used_bytes: volumes * 512 * GIB,
    free_bytes: ARRAY_BYTES - volumes * 512 * GIB,
    chunk_bytes: 65_536,
    layout: null,
    write_hole: 'ppl',
    group_data_disks: null,
    distributed_spares: null,
    write_mostly: [],
    spare_group: null,
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
    integrity: false,
    encryption: null,
    keep_key: false,
    locked: null,
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
      level: 'raid6',
      device: '/dev/md127',
      write_hole: 'ppl',
      layout: null,
      survives_disks: null,
      free_distributed_spares: null,
      progress: { action: 'resync', percent: 41.7, rate_bytes_s: 1_431_655_765, left_s: 1_460 },
      mismatch_count: 0,
      last_scrub: 'check',
      health_words: null,
      dirty_degraded: false,
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
        state: 'open',
        reason: null,
      },
    ],
    export: { state: 'open', reason: null },
    observed: null,
    created_at: MADE,
    updated_at: MADE,
    ...change,
  }
}
