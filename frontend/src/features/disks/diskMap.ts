/** The place of drives, as far as the machine reports it: NUMA node, bus, and the bay of an enclosure or the PCI slot. */
import type { Disk } from '@/api'

export interface DiskBank {
  /** null: not reported by the machine, or only one node. undefined: not observed now. */
  node: number | null | undefined
  transport: Disk['transport']
  enclosure: string | null
  disks: Disk[]
}

/** Bay 10 comes after bay 9. */
const inOrder = new Intl.Collator('en', { numeric: true })
const UNSEEN = Number.MAX_SAFE_INTEGER
const rank = ({ node }: DiskBank): number => (node === undefined ? UNSEEN : (node ?? UNSEEN - 1))

/** Its bay or slot, if the machine reports it. */
export const seatOf = ({ observed }: Disk): string => observed?.place.bay ?? observed?.place.pci_slot ?? ''

/** The part that fits on a tile: 7 of "Slot 07". */
export const seatNumber = (disk: Disk): string => /(?:^|\D)0*(\d+)$/.exec(seatOf(disk))?.[1] ?? ''

/** By node, then by transport and enclosure, in the order of the bays; drives that are not observed come last. */
export function banksOf(disks: readonly Disk[]): DiskBank[] {
  const banks = new Map<string, DiskBank>()
  for (const disk of disks) {
    const node = disk.observed ? disk.observed.numa_node : undefined
    const enclosure = disk.observed?.place.enclosure ?? null
    const key = `${node} ${disk.transport} ${enclosure}`
    const bank = banks.get(key) ?? { node, transport: disk.transport, enclosure, disks: [] }
    bank.disks.push(disk)
    banks.set(key, bank)
  }
  for (const bank of banks.values())
    bank.disks.sort(
      (one, other) => inOrder.compare(seatOf(one), seatOf(other)) || one.id.localeCompare(other.id),
    )
  return [...banks.values()].sort(
    (one, other) =>
      rank(one) - rank(other) ||
      (one.transport ?? '').localeCompare(other.transport ?? '') ||
      inOrder.compare(one.enclosure ?? '', other.enclosure ?? ''),
  )
}
