/** Where each kind of object is shown: on a page of its own, or in its list with the search set. */
import type { RouteLocationRaw } from 'vue-router'
import type { SearchNoun } from '@/api'

/** What a link to an object needs to know of it; an array and a volume may also be given by ID. */
export interface Thing {
  name: string
  /** The volume of a snapshot. */
  parent?: string | null
}

const listed =
  (page: string) =>
  ({ name }: Thing): RouteLocationRaw => ({ name: page, query: { q: name } })

export const PLACES: Record<SearchNoun, { icon: string; of: (thing: Thing) => RouteLocationRaw }> = {
  array: { icon: 'i-lucide-layers', of: ({ name }) => ({ name: 'array', params: { array: name } }) },
  disk: { icon: 'i-lucide-hard-drive', of: ({ name }) => ({ name: 'disk', params: { disk: name } }) },
  volume: { icon: 'i-lucide-box', of: ({ name }) => ({ name: 'volume', params: { volume: name } }) },
  snapshot: {
    icon: 'i-lucide-camera',
    of: ({ parent }) => ({ name: 'volume', params: { volume: parent ?? '' } }),
  },
  host: { icon: 'i-lucide-server', of: ({ name }) => ({ name: 'host', params: { host: name } }) },
  host_group: { icon: 'i-lucide-users', of: listed('hostGroups') },
  portal: { icon: 'i-lucide-ethernet-port', of: listed('portals') },
  interface: { icon: 'i-lucide-network', of: listed('interfaces') },
  fc_port: { icon: 'i-lucide-ethernet-port', of: () => ({ name: 'portals' }) },
  session: { icon: 'i-lucide-cable', of: listed('sessions') },
  schedule: { icon: 'i-lucide-calendar-clock', of: listed('schedules') },
  deleted_volume: { icon: 'i-lucide-trash-2', of: listed('deletedVolumes') },
  deleted_snapshot: { icon: 'i-lucide-trash-2', of: listed('deletedSnapshots') },
  job: { icon: 'i-lucide-list-checks', of: () => ({ name: 'jobs' }) },
  user: { icon: 'i-lucide-user', of: listed('users') },
}

export const placeOf = (noun: SearchNoun, thing: Thing): RouteLocationRaw => PLACES[noun].of(thing)
