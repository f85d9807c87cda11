/** Many things that are changed at once, as one change of the API, and which of them a refusal is about. */
import type { ReadableProblem } from '@/ui/problems'
import type { Call, Change } from './change'

/** The API's most for one plan, and its longest page. */
export const BULK_LIMIT = 1000

export interface BulkItem {
  id: string
  name: string
}

/** A change of all of them, in words and as a request. */
export interface BulkAct<Item extends BulkItem = BulkItem> {
  /** Of the dialog; `what` is how many there are, in words. */
  title: (what: string) => string
  /** The label of the button that applies it. */
  verb: string
  /** How many there are, in words: "3 volumes". */
  counted: (count: number) => string
  change: (items: readonly Item[]) => Change
  isDestructive?: boolean
}

/** Deletes all that are named, or with `cascade` what prevents it as well. */
export function deletionOfAll(
  noun: string,
  send: (call: Call, cascade: { cascade?: boolean }) => ReturnType<Change['send']>,
): Change {
  return {
    noun,
    send: (call) => send(call, {}),
    cascade: { noun, send: (call) => send(call, { cascade: true }) },
  }
}

export const idsOf = (items: readonly BulkItem[]): string[] => items.map(({ id }) => id)

export interface Refused<Item extends BulkItem = BulkItem> {
  item: Item
  reason: string
}

const PLACE = /\b\w+\[(\d+)\]/

/** The things a refusal names, each once; empty where it is about something else. */
export function refusedOf<Item extends BulkItem>(
  items: readonly Item[],
  problem: ReadableProblem | undefined,
): Refused<Item>[] {
  const reasons = new Map<Item, string[]>()
  for (const { field, message } of problem?.fields ?? []) {
    // A single one of a batch may be named like one that is asked for alone.
    const place = PLACE.exec(field)?.[1] ?? (items.length === 1 && /\bvolume$/.test(field) ? '0' : undefined)
    const item = place === undefined ? undefined : items[Number(place)]
    if (!item) return []
    reasons.set(item, [...(reasons.get(item) ?? []), withoutName(message, item.name)])
  }
  return [...reasons].map(([item, found]) => ({ item, reason: found.join('; ') }))
}

/** "volume lun01: it is mapped" is listed below the name. */
function withoutName(message: string, name: string): string {
  const end = message.indexOf(`${name}: `)
  return end < 0 || message.slice(0, end).includes(':') ? message : message.slice(end + name.length + 2)
}
