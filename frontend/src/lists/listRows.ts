/**
 * The rows of a list as one long table: the server's pages are loaded where somebody looks, and kept in the query cache
 * like any other answer. What is not loaded yet is a gap that the table shows as such.
 */
import { hashKey, useQueries, useQueryClient } from '@tanstack/vue-query'
import type { QueryFunction, QueryKey } from '@tanstack/vue-query'
import { computed, ref, shallowRef, watch } from 'vue'
import type { Sight } from '@/ui/tableWindow'
import { useListPlace } from './listPlace'

export interface ListPart<Row> {
  items: Row[]
  total: number
}

export interface Paging {
  limit: number
  offset?: number
}

/** What the generated client makes of an operation, and how often it is asked again: checked by who takes it. */
interface PartQuery {
  queryKey: QueryKey
  queryFn?: unknown
  refetchInterval?: unknown
}

/** Rows of a part, by which a list is loaded. */
const PART_ROWS = 50
/** The API's longest page, and the most rows one plan takes. */
const LONGEST = 1000

export function useListRows<Row, Part extends ListPart<Row> = ListPart<Row>>(
  ask: (paging: Paging) => PartQuery,
) {
  const queries = useQueryClient()
  const place = useListPlace()
  // Who comes back to a row in the middle needs no others first.
  const sight = ref<Sight>({ from: place.start, to: place.start + 1 })
  /** What was last known; another search or order shows it until its own first rows are here. */
  const known = shallowRef<{ of: string; total: number; rows: Map<number, Row> }>()

  const part = (number: number) =>
    ask({ limit: PART_ROWS, ...(number > 0 && { offset: number * PART_ROWS }) })
  const numbers = computed(() => {
    const first = Math.floor(sight.value.from / PART_ROWS)
    const last = Math.max(first, Math.floor((sight.value.to - 1) / PART_ROWS))
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
  const parts = useQueries({
    // The options are the generated ones, whose types say more than a list of them can.
    queries: computed(() => numbers.value.map((number) => part(number) as never)) as never,
  }) as unknown as Readonly<{
    value: { data?: Part; error: unknown; dataUpdatedAt: number; refetch: () => Promise<unknown> }[]
  }>

  const key = computed(() => hashKey(ask({ limit: PART_ROWS }).queryKey))
  const first = computed(() => parts.value.find(({ data }) => data))
  // Another list begins at its top.
  watch(key, () => (sight.value = { from: 0, to: 1 }))
  watch(
    [() => parts.value.map(({ data }) => data), numbers],
    () => {
      const rows = new Map<number, Row>()
      let total: number | undefined
      for (const number of numbers.value) {
        const data = queries.getQueryData<Part>(part(number).queryKey)
        data?.items.forEach((row, at) => rows.set(number * PART_ROWS + at, row))
        total ??= data?.total
      }
      if (total !== undefined) known.value = { of: key.value, total, rows }
    },
    { immediate: true },
  )

  /** The rows from one place to another, loaded where they are not; of more than one plan takes, the first. */
  async function between(from: number, to: number): Promise<Row[]> {
    const limit = Math.min(LONGEST, to - from + 1)
    const { queryKey, queryFn } = ask({ limit, ...(from && { offset: from }) })
    const found = await queries.fetchQuery({ queryKey, queryFn: queryFn as QueryFunction<Part> })
    return found.items
  }

  function look(next: Sight): void {
    if (next.from !== sight.value.from) place.keep(next.from)
    sight.value = next
  }

  return {
    /** Changes when it is another list: another search, filter or order. */
    key,
    /** How many rows the list has; undefined until the first answer. */
    total: computed(() => known.value?.total),
    at: (index: number): Row | undefined => known.value?.rows.get(index),
    /** Those in sight that are here. */
    shown: computed(() => [...(known.value?.rows.values() ?? [])]),
    /** An answer of the list in sight, for what its pages say besides. */
    part: computed(() => first.value?.data),
    partReadAt: computed(() => first.value?.dataUpdatedAt ?? 0),
    /** Another order or search is on its way; what is shown is the one before. */
    isStale: computed(() => known.value !== undefined && known.value.of !== key.value),
    error: computed(() => parts.value.find(({ error }) => error)?.error ?? undefined),
    refetch: () => Promise.all(parts.value.map(({ refetch }) => refetch())),
    /** The row to begin at. */
    start: place.start,
    sight,
    look,
    between,
  }
}

export type ListRows<Row> = ReturnType<typeof useListRows<Row, ListPart<Row>>>
