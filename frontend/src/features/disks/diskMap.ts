/** Where drives sit, as far as the machine tells: the NUMA node their bus hangs on, and how they are attached. */
import type { Disk } from '@/api'

export interface DiskBank {
  /** null: the machine does not tell, or has one node only. undefined: not seen now. */
  node: number | null | undefined
  transport: Disk['transport']
  disks: Disk[]
}

const UNSEEN = Number.MAX_SAFE_INTEGER
const rank = ({ node }: DiskBank): number => (node === undefined ? UNSEEN : (node ?? UNSEEN - 1))

/** By node, then by transport; the drives the machine does not see come last. */
export function banksOf(disks: readonly Disk[]): DiskBank[] {
  const banks = new Map<string, DiskBank>()
  for (const disk of disks) {
    const node = disk.observed ? disk.observed.numa_node : undefined
    const key = `${node} ${disk.transport}`
    const bank = banks.get(key) ?? { node, transport: disk.transport, disks: [] }
    bank.disks.push(disk)
    banks.set(key, bank)
  }
  for (const bank of banks.values()) bank.disks.sort((one, other) => one.id.localeCompare(other.id))
  return [...banks.values()].sort(
    (one, other) => rank(one) - rank(other) || (one.transport ?? '').localeCompare(other.transport ?? ''),
  )
}
