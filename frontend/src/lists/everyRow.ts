/** Queries for all rows of a noun, for pages that show relations; shared, so each is fetched once. */
import type { QueryClient } from '@tanstack/vue-query'
import { diskList, hostGroupList, hostList, mappingList, volumeList } from '@/api'
import type { Export, Mapping, Volume } from '@/api'
import { OBSERVED_EVERY_MS } from '@/server/queries'
import { LONGEST_PAGE, everyPage } from './everyPage'

/** What relations need of a volume. With 10,000 volumes, the rest would be most of what is sent. */
const VOLUME_FIELDS = [
  'id',
  'name',
  'array',
  'array_id',
  'size_bytes',
  'state',
  'export',
  'observed',
  'mapped_to',
] as const satisfies readonly (keyof Volume)[]
export type RelatedVolume = Pick<Volume, (typeof VOLUME_FIELDS)[number]>

const VOLUMES_KEY = [{ _id: 'volumeEvery', tags: ['volumes', 'mappings'] }]

/** Automatic changes are polled while that is one request; beyond that, only events show them. */
const whileFew = (query: { state: { data?: readonly unknown[] } }): number | false =>
  (query.state.data?.length ?? 0) > LONGEST_PAGE ? false : OBSERVED_EVERY_MS

/** A row that is served or not: the state of a mapping, the export of what is mapped. */
type Servable = Pick<Mapping, 'state'> | { export: Pick<Export, 'state'> }

const isPending = (row: Servable): boolean => ('export' in row ? row.export : row).state === 'pending'

/** No event reports that a new mapping is served now, so that is polled however many rows there are. */
const untilServed = (query: { state: { data?: readonly Servable[] } }): number | false =>
  query.state.data?.some(isPending) ? OBSERVED_EVERY_MS : whileFew(query)

export const everyVolume = (queries: QueryClient) => ({
  queryKey: VOLUMES_KEY,
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    everyPage(
      (query) =>
        volumeList({
          query: { ...query, sort: 'name', fields: VOLUME_FIELDS.join(',') },
          signal,
          throwOnError: true,
        }),
      // The first thousand are shown while the rest is being loaded; later rounds replace all at once.
      (soFar) =>
        queries.setQueryData(VOLUMES_KEY, (known: RelatedVolume[] | undefined) =>
          known && known.length > soFar.length ? known : soFar,
        ),
    ),
  refetchInterval: untilServed,
  structuralSharing: false,
})

/** Changes the cached volumes without a request. */
export const amendVolumes = (queries: QueryClient, change: (volumes: RelatedVolume[]) => RelatedVolume[]) =>
  queries.setQueryData(VOLUMES_KEY, (known: RelatedVolume[] | undefined) => known && change(known))

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
