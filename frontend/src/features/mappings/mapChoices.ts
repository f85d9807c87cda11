/** What can be mapped and to whom, found by name: the first that match, for the dialog that maps one volume. */
import { useQuery } from '@tanstack/vue-query'
import { computed, ref, shallowRef, watch } from 'vue'
import { useI18n } from 'vue-i18n'
import { hostGroupListOptions, hostListOptions, volumeListOptions } from '@/api/@tanstack/vue-query.gen'
import type { Volume } from '@/api'
import { usePreferences } from '@/session/preferences'
import { formatBytes } from '@/ui/format'

/** Who gets a volume: a host, or a group of hosts. */
export interface Recipient {
  id: string
  name: string
  isGroup: boolean
  /** The group that a host is a member of. */
  group: string | null
}

const OFFERED = 30

const asked = (search: string) => ({
  limit: OFFERED,
  sort: 'name' as const,
  ...(search && { name: `*${search}*` }),
})

/** The rows of a search and the one that is chosen, which stays chosen if another search no longer shows it. */
function chosenOf<Row extends { id: string }>(rows: () => readonly Row[]) {
  const id = ref('')
  const row = shallowRef<Row>()
  watch(id, (wanted) => (row.value = rows().find((one) => one.id === wanted)))
  return { id, row }
}

/** The volumes whose names match. */
export function useVolumeChoices(isWanted: () => boolean) {
  const { t } = useI18n()
  const preferences = usePreferences()
  const search = ref('')
  const { data } = useQuery(
    computed(() => ({ ...volumeListOptions({ query: asked(search.value) }), enabled: isWanted() })),
  )
  const volumes = computed<readonly Volume[]>(() => data.value?.items ?? [])
  const hintOf = ({ size_bytes: size, mapped_to: owners }: Volume): string =>
    [
      formatBytes(size, preferences.sizes),
      owners.map(({ host, host_group: group }) => host ?? group).join(', '),
    ]
      .filter(Boolean)
      .join(' · ')
  return {
    search,
    chosen: chosenOf(() => volumes.value),
    label: t('mappings.volume'),
    searchLabel: t('mappings.searchVolumes'),
    choices: computed(() =>
      volumes.value.map((one) => ({ value: one.id, label: one.name, hint: hintOf(one) })),
    ),
    total: computed(() => data.value?.total ?? 0),
  }
}

/** The hosts and groups whose names match, hosts first. */
export function useOwnerChoices(isWanted: () => boolean) {
  const { t } = useI18n()
  const search = ref('')
  const hosts = useQuery(
    computed(() => ({ ...hostListOptions({ query: asked(search.value) }), enabled: isWanted() })),
  )
  const groups = useQuery(
    computed(() => ({ ...hostGroupListOptions({ query: asked(search.value) }), enabled: isWanted() })),
  )
  const owners = computed<readonly Recipient[]>(() => [
    ...(hosts.data.value?.items ?? []).map(({ id, name, group }) => ({ id, name, group, isGroup: false })),
    ...(groups.data.value?.items ?? []).map(({ id, name }) => ({ id, name, group: null, isGroup: true })),
  ])
  function hintOf({ isGroup, group }: Recipient): { hint?: string } {
    if (isGroup) return { hint: t('mappings.group') }
    return group === null ? {} : { hint: t('mappings.memberOf', { name: group }) }
  }
  return {
    search,
    chosen: chosenOf(() => owners.value),
    label: t('volumes.bulk.owner'),
    searchLabel: t('mappings.searchOwners'),
    choices: computed(() => owners.value.map((one) => ({ value: one.id, label: one.name, ...hintOf(one) }))),
    total: computed(() => (hosts.data.value?.total ?? 0) + (groups.data.value?.total ?? 0)),
  }
}
