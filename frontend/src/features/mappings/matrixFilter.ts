/** What of the matrix is shown; kept in the route, so that a link shows the same corner of it. */
import { computed } from 'vue'
import type { Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { RelatedVolume } from '@/lists/everyRow'
import type { Owner } from './matrixData'

export const SHOWS = ['free', 'mapped'] as const
type Show = (typeof SHOWS)[number]

/** Plain text is found anywhere in a name; with `*` or `?` it is the whole name, as in the API's lists. */
export function matcher(text: string): (name: string) => boolean {
  const wanted = text.trim().toLowerCase()
  if (!/[*?]/.test(wanted)) return (name) => name.toLowerCase().includes(wanted)
  const escaped = wanted.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  const pattern = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`)
  return (name) => pattern.test(name.toLowerCase())
}

export function useMatrixFilter(owners: Ref<Owner[]>, volumes: Ref<RelatedVolume[]>) {
  const route = useRoute()
  const router = useRouter()

  const text = (key: string) =>
    computed({
      get: () => String(route.query[key] ?? ''),
      set: (value: string) => void router.replace({ query: { ...route.query, [key]: value || undefined } }),
    })

  const volumeText = text('volume')
  const ownerText = text('host')
  const show = computed({
    get: () => SHOWS.find((value) => value === route.query['show']),
    set: (value: Show | undefined) => void router.replace({ query: { ...route.query, show: value } }),
  })

  const shownOwners = computed(() => {
    const matches = matcher(ownerText.value)
    return owners.value.filter(({ name }) => matches(name))
  })
  const shownVolumes = computed(() => {
    const matches = matcher(volumeText.value)
    const wanted = show.value
    return volumes.value.filter(
      ({ name, mapped_to }) => matches(name) && (!wanted || (wanted === 'mapped') === mapped_to.length > 0),
    )
  })

  return {
    volumeText,
    ownerText,
    show,
    owners: shownOwners,
    volumes: shownVolumes,
    clear: () => void router.replace({ query: {} }),
  }
}
