/** What a list shows (search, filters, order) lives in the route, so a link or a reload shows the same rows. */
import { computed } from 'vue'
import type { ComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { LocationQueryRaw, LocationQueryValue } from 'vue-router'

const text = (value: LocationQueryValue | LocationQueryValue[] | undefined): string =>
  (Array.isArray(value) ? value[0] : value) ?? ''

const WILDCARD = /[*?]/
/** The API matches whole names with `*` and `?`; plain text means "anywhere in the name". */
const pattern = (search: string): string => (WILDCARD.test(search) ? search : `*${search}*`)

type Sort<Key extends string> = Key | `-${Key}`

/** `sortable`: the fields by which the API can sort; any other in a link becomes the first. */
export function useListState<Key extends string>(sortable: readonly Key[], initial: NoInfer<Sort<Key>>) {
  const route = useRoute()
  const router = useRouter()
  const search = computed(() => text(route.query['q']))
  const sort = computed(() => {
    const asked = text(route.query['sort'])
    return sortable.includes(asked.replace(/^-/, '') as Key) ? (asked as Sort<Key>) : initial
  })

  /** Parameters of every list of the API. */
  const query = computed(() => ({ sort: sort.value }))
  /** For the lists that search by name. */
  const named = computed(() => (search.value ? { name: pattern(search.value) } : {}))
  /** For the lists that also search identifiers; a pattern is one of names. */
  const searched = computed(() =>
    search.value && !WILDCARD.test(search.value) ? { text: search.value } : named.value,
  )

  /** Another search, filter or order is another list, which starts at its top. */
  function restart(change: LocationQueryRaw): void {
    void router.push({ query: { ...route.query, ...change } })
  }

  /** The filters of this list by their name in the route. */
  const filters = new Map<string, ComputedRef<string | undefined>>()

  /** A filter of its own in the route; an unknown value counts as none. */
  function useFilter<Value extends string>(key: string, values: readonly Value[]) {
    const chosen = computed(() => values.find((value) => value === text(route.query[key])))
    filters.set(key, chosen)
    return computed({
      get: () => chosen.value,
      set: (value: Value | undefined) => restart({ [key]: value }),
    })
  }

  /** A way to show the list, which is no filter of it; the first is meant where the route has none. */
  function useChoice<Value extends string>(key: string, values: readonly [Value, ...Value[]]) {
    return computed({
      get: () => values.find((value) => value === text(route.query[key])) ?? values[0],
      set: (value: Value) => restart({ [key]: value === values[0] ? undefined : value }),
    })
  }

  /** A filter of free text. */
  function useText(key: string) {
    const given = computed(() => text(route.query[key]))
    filters.set(key, given)
    return computed({ get: () => given.value, set: (value) => setFilter(key, value) })
  }
  /** Sets a filter; an empty one is none. */
  const setFilter = (key: string, value: string): void => restart({ [key]: value || undefined })

  return {
    search,
    sort,
    query,
    named,
    searched,
    useFilter,
    useChoice,
    useText,
    setFilter,
    /** Whether a filter other than the search is set. */
    isFiltered: computed(() => [...filters.values()].some((filter) => filter.value)),
    /** Changes with the search and the filters, but not with the order. */
    narrowed: computed(() =>
      JSON.stringify([search.value, ...[...filters.values()].map(({ value }) => value)]),
    ),
    /** Clears search and filters. */
    clear: () => restart(Object.fromEntries(['q', ...filters.keys()].map((key) => [key, undefined]))),
    setSearch: (q: string) => restart({ q: q || undefined }),
    setSort: (key: string) => restart({ sort: key === initial ? undefined : key }),
  }
}

/** What the list panel needs of it, whatever the sort order. */
export type ListState = Pick<
  ReturnType<typeof useListState<string>>,
  'search' | 'setSearch' | 'setSort' | 'isFiltered' | 'narrowed' | 'clear'
> & {
  sort: { readonly value: string }
}
