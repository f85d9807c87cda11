/** Queries for all rows of a noun, for pages that show how things hang together; shared, so each is fetched once. */
import type { QueryClient } from '@tanstack/vue-query'
import { diskList, hostGroupList, hostList, mappingList, volumeList } from '@/api'
import type { Export, Mapping, Volume } from '@/api'
import { OBSERVED_EVERY_MS } from '@/server/queries'
import { LONGEST_PAGE, everyPage } from './everyPage'

const VOLUMES_KEY = [{ _id: 'volumeEvery', tags: ['volumes', 'mappings'] }]

/** What the machine does unasked is looked for while that is one request; after that events alone tell. */
const whileFew = (query: { state: { data?: readonly unknown[] } }): number | false =>
  (query.state.data?.length ?? 0) > LONGEST_PAGE ? false : OBSERVED_EVERY_MS

/** A row that is served or is not: of a mapping its state, of what is mapped its export's. */
type Servable = Pick<Mapping, 'state'> | { export: Pick<Export, 'state'> }

const isPending = (row: Servable): boolean => ('export' in row ? row.export : row).state === 'pending'

/** No event tells that what was just mapped is served now, so that is looked for however many there are. */
const untilServed = (query: { state: { data?: readonly Servable[] } }): number | false =>
  query.state.data?.some(isPending) ? OBSERVED_EVERY_MS : whileFew(query)

export const everyVolume = (queries: QueryClient) => ({
  queryKey: VOLUMES_KEY,
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    everyPage(
      (query) => volumeList({ query: { ...query, sort: 'name' }, signal, throwOnError: true }),
      // The first thousand stand on the screen while the rest is on its way; later rounds replace all at once.
      (soFar) =>
        queries.setQueryData(VOLUMES_KEY, (known: Volume[] | undefined) =>
          known && known.length > soFar.length ? known : soFar,
        ),
    ),
  refetchInterval: untilServed,
  structuralSharing: false,
})

/** Changes what is known of the volumes without asking again. */
export const amendVolumes = (queries: QueryClient, change: (volumes: Volume[]) => Volume[]) =>
  queries.setQueryData(VOLUMES_KEY, (known: Volume[] | undefined) => known && change(known))

export const everyHost = () => ({
  queryKey: [{ _id: 'hostEvery', tags: ['hosts'] }],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    everyPage((query) => hostList({ query: { ...query, sort: 'name' }, signal, throwOnError: true })),
  refetchInterval: untilServed,
})

export const everyHostGroup = () => ({
  queryKey: [{ _id: 'hostGroupEvery', tags: ['host groups'] }],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    everyPage((query) => hostGroupList({ query: { ...query, sort: 'name' }, signal, throwOnError: true })),
  refetchInterval: untilServed,
})

export const everyDisk = () => ({
  queryKey: [{ _id: 'diskEvery', tags: ['disks'] }],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    everyPage((query) => diskList({ query: { ...query, sort: 'id' }, signal, throwOnError: true })),
  refetchInterval: whileFew,
})

export const everyMapping = () => ({
  // Whether a mapping is served depends on its volume.
  queryKey: [{ _id: 'mappingEvery', tags: ['mappings', 'volumes'] }],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    everyPage((query) => mappingList({ query, signal, throwOnError: true })),
  refetchInterval: untilServed,
  structuralSharing: false,
})
