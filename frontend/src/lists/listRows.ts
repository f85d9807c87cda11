/**
 * The rows of a list as one long table: the server's pages are loaded where the user scrolls, and stored in the query cache
 * like any other response. What is not loaded yet is a gap that the table shows as such.
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

/** The generated client's options of an operation, and how often it is polled: checked by the caller. */
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
  // A user who returns to a row in the middle needs no others first.
  const sight = ref<Sight>({ from: place.start, to: place.start + 1 })
  /** The last known rows; another search or order shows it until its own first rows are loaded. */
  const known = shallowRef<{ of: string; total: number; rows: Map<number, Row> }>()

  const part = (number: number) =>
    ask({ limit: PART_ROWS, ...(number > 0 && { offset: number * PART_ROWS }) })
  const numbers = computed(() => {
    const first = Math.floor(sight.value.from / PART_ROWS)
    const last = Math.max(first, Math.floor((sight.value.to - 1) / PART_ROWS))
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
  const parts = useQueries({
    // The options are the generated ones, whose types are more specific than a list of them can be.
    queries: computed(() => numbers.value.map((number) => part(number) as never)) as never,
  }) as unknown as Readonly<{
    value: { data?: Part; error: unknown; dataUpdatedAt: number; refetch: () => Promise<unknown> }[]
  }>

  const key = computed(() => hashKey(ask({ limit: PART_ROWS }).queryKey))
  const first = computed(() => parts.value.find(({ data }) => data))
  // Another list starts at its top.
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

  /** The rows of a range, loaded if missing; if there are more than one plan takes, the first ones. */
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
    /** Changes with the list: another search, filter or order. */
    key,
    /** The number of rows of the list; undefined until the first response. */
    total: computed(() => known.value?.total),
    at: (index: number): Row | undefined => known.value?.rows.get(index),
    /** The loaded rows in sight. */
    shown: computed(() => [...(known.value?.rows.values() ?? [])]),
    /** A response of the list in sight, for its other fields. */
    part: computed(() => first.value?.data),
    partReadAt: computed(() => first.value?.dataUpdatedAt ?? 0),
    /** Another order or search is being loaded; the previous one is shown. */
    isStale: computed(() => known.value !== undefined && known.value.of !== key.value),
    error: computed(() => parts.value.find(({ error }) => error)?.error ?? undefined),
    refetch: () => Promise.all(parts.value.map(({ refetch }) => refetch())),
    /** The row to start at. */
    start: place.start,
    sight,
    look,
    between,
  }
}

export type ListRows<Row> = ReturnType<typeof useListRows<Row, ListPart<Row>>>
