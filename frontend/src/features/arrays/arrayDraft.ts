/** The content of the array wizard, and the body of its request: a level names its options. */
import type { ArrayCreate, ArrayEngine, EngineLevel, Layout, Level } from '@/api'
import { isName } from '@/ui/names'

/** Fields of a creation that name disks other than data disks. */
export const BESIDE = ['spares', 'log', 'cache', 'special'] as const
export type Beside = (typeof BESIDE)[number]

const NUMBER = (typed: string): number => Number(typed)
const MIB_PER_SECOND = (typed: string): number => Math.round(Number(typed) * 2 ** 20)
const WORD = (typed: string): string => typed
/** Every other option, and how the typed or chosen text becomes its value. Empty leaves the choice to the engine. */
const OPTIONS = {
  chunk_bytes: NUMBER,
  layout: WORD,
  write_hole: WORD,
  group_data_disks: NUMBER,
  distributed_spares: NUMBER,
  sync_speed_min_bytes_s: MIB_PER_SECOND,
  sync_speed_max_bytes_s: MIB_PER_SECOND,
  group_thread_cnt: NUMBER,
  stripe_cache_size: NUMBER,
  skip_copy: (typed: string): boolean => typed === '1',
  scheduler: WORD,
  health_command: WORD,
  spare_group: WORD,
  integrity: (typed: string): boolean => typed === '1',
  encryption: WORD,
  passphrase: WORD,
  keep_key: (typed: string): boolean => typed === '1',
} satisfies Partial<Record<keyof ArrayCreate, (typed: string) => unknown>>
export type Option = keyof typeof OPTIONS
/** Values typed for encryption are omitted if the array is not to be encrypted after all. */
const OF_ENCRYPTION: Option[] = ['passphrase', 'keep_key']

export interface ArrayDraft {
  name: string
  engine: ArrayEngine
  level: Level
  disks: string[]
  /** The chosen disks with consent to be wiped. */
  wipe: string[]
  beside: Record<Beside, string[]>
  options: Record<Option, string>
}

export const freshDraft = (): ArrayDraft => ({
  name: '',
  engine: 'md',
  level: 'raid5',
  disks: [],
  wipe: [],
  beside: { spares: [], log: [], cache: [], special: [] },
  options: Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, ''])) as Record<Option, string>,
})

export const CHUNKS = [16, 32, 64, 128, 256, 512, 1024].map((kib) => kib * 1024)

/** The roles of disks other than data that this level has. */
export const besideOf = (level: EngineLevel | undefined): Beside[] =>
  BESIDE.filter((role) => level?.options.includes(role))

/** Every disk of the draft, data disks first. */
export const everyDisk = (draft: ArrayDraft, level: EngineLevel | undefined): string[] => [
  ...draft.disks,
  ...besideOf(level).flatMap((role) => draft.beside[role]),
]

/** Undefined while there is too little for a request. What this level does not have is omitted. */
export function bodyOf(draft: ArrayDraft, level: EngineLevel): ArrayCreate | undefined {
  if (!isName(draft.name) || draft.disks.length < level.min_disks) return undefined
  const taken = new Set(everyDisk(draft, level))
  const beside = besideOf(level).filter((role) => draft.beside[role].length)
  const options = (Object.keys(OPTIONS) as Option[]).filter(
    (name) =>
      level.options.includes(name) &&
      draft.options[name].trim() &&
      (draft.options.encryption || !OF_ENCRYPTION.includes(name)),
  )
  return {
    name: draft.name.trim(),
    engine: draft.engine,
    level: draft.level,
    disks: draft.disks,
    wipe: draft.wipe.filter((id) => taken.has(id)),
    ...Object.fromEntries(beside.map((role) => [role, draft.beside[role]])),
    ...Object.fromEntries(options.map((name) => [name, OPTIONS[name](draft.options[name])])),
  }
}

const MANY_DISKS = 8
const CLOSED = ['ppl', 'copy_on_write']
const closes = ({ write_hole: [policy] }: Layout): number => Number(CLOSED.includes(policy ?? ''))

/** The most capacity that survives a loss (two with many disks), and a power failure if possible. RAID 4 comes last. */
export function suggestLevel(count: number, layouts: readonly Layout[]): Level | undefined {
  const losses = count >= MANY_DISKS ? 2 : 1
  const [best] = layouts
    .filter((one) => one.possible && (one.survives_disks ?? 0) >= losses)
    .sort(
      (one, other) =>
        (other.usable_bytes ?? 0) - (one.usable_bytes ?? 0) ||
        closes(other) - closes(one) ||
        (one.small_write_ios ?? 0) - (other.small_write_ios ?? 0) ||
        Number(one.level === 'raid4') - Number(other.level === 'raid4'),
    )
  return best?.level
}
