/** What the palette offers: pages and actions whose words match at once, and what the appliance finds. */
import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { refDebounced } from '@vueuse/core'
import { computed } from 'vue'
import type { Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import type { RouteLocationRaw } from 'vue-router'
import type { Role, SearchResult } from '@/api'
import { searchListOptions } from '@/api/@tanstack/vue-query.gen'
import { useCan } from '@/session/can'
import { PLACES, placeOf } from '@/ui/places'

export interface Option {
  key: string
  icon: string
  label: string
  to: RouteLocationRaw
  /** What it is: "Volume on tank". */
  kind?: string
  /** The property that matched, where it is not the name. */
  found?: string
}
export interface OptionGroup {
  key: 'actions' | 'pages' | 'objects'
  options: Option[]
}

const PAUSE_MS = 150
const MOST_WORDS = 6
/** Outside the shell, or offered as actions. */
const NO_PAGES = new Set(['login', 'unreachable', 'volumeNew', 'arrayNew'])
/** Pages that only show a refusal to others. */
const ADMINISTRATORS = new Set(['users', 'backup'])
/** Label, page, and who may. A list opens its dialog where the route asks for it. */
const ACTIONS: [label: string, to: RouteLocationRaw, role: Role][] = [
  ['volumes.create', { name: 'volumeNew' }, 'operator'],
  ['hosts.create', { name: 'hosts', query: { do: 'create' } }, 'operator'],
  ['hostGroups.create', { name: 'hostGroups', query: { do: 'create' } }, 'operator'],
  ['arrays.create', { name: 'arrayNew' }, 'administrator'],
  ['portals.create', { name: 'portals', query: { do: 'create' } }, 'administrator'],
  ['schedules.create', { name: 'schedules', query: { do: 'create' } }, 'administrator'],
  ['users.create', { name: 'users', query: { do: 'create' } }, 'administrator'],
  ['tokens.create', { name: 'tokens', query: { do: 'create' } }, 'viewer'],
]

export function useSearchOptions(typed: Ref<string>) {
  const { t } = useI18n()
  const can = useCan()
  const router = useRouter()
  const wanted = computed(() => typed.value.trim())
  const asked = refDebounced(wanted, PAUSE_MS)
  const { data, isFetching, error } = useQuery(
    computed(() => ({
      ...searchListOptions({ query: { text: asked.value || ' ' } }),
      enabled: asked.value !== '',
      placeholderData: keepPreviousData,
    })),
  )

  const pages = computed<Option[]>(() =>
    router
      .getRoutes()
      .filter(({ name, path, meta }) => meta.title && !NO_PAGES.has(String(name)) && !/:(?!part)/.test(path))
      .filter(({ name }) => can.has('administrator') || !ADMINISTRATORS.has(String(name)))
      .map(({ name, meta }) => ({
        key: `page-${String(name)}`,
        icon: 'i-lucide-arrow-right',
        label: t(meta.title ?? ''),
        to: { name: name ?? '' },
      }))
      .sort((one, other) => one.label.localeCompare(other.label)),
  )
  const actions = computed<Option[]>(() =>
    ACTIONS.filter(([, , role]) => can.has(role)).map(([label, to]) => ({
      key: label,
      icon: 'i-lucide-plus',
      label: t(label),
      to,
    })),
  )

  function option(one: SearchResult): Option {
    const noun = t(`search.nouns.${one.noun}`)
    const isByName = one.field === 'name' || one.value === one.name
    return {
      key: `${one.noun}-${one.id}`,
      icon: PLACES[one.noun].icon,
      label: one.name,
      to: placeOf(one.noun, one),
      kind: one.parent ? t('search.of', { noun, parent: one.parent }) : noun,
      ...(!isByName && {
        found: t('search.found', { field: t(`search.fields.${one.field}`), value: one.value }),
      }),
    }
  }

  /** Every word that was typed begins a word of the label. */
  function matching(options: Option[]): Option[] {
    const words = wanted.value.toLowerCase().split(/\s+/)
    return options
      .filter(({ label }) => {
        const own = label.toLowerCase().split(/\s+/)
        return words.every((word) => own.some((part) => part.startsWith(word)))
      })
      .slice(0, MOST_WORDS)
  }

  /** What was found for another text is not offered for this one. */
  const isCurrent = computed(() => asked.value === wanted.value && !isFetching.value)
  const groups = computed<OptionGroup[]>(() => {
    const all: OptionGroup[] = wanted.value
      ? [
          { key: 'actions', options: matching(actions.value) },
          { key: 'pages', options: matching(pages.value) },
          { key: 'objects', options: (data.value?.items ?? []).map(option) },
        ]
      : [
          { key: 'actions', options: actions.value },
          { key: 'pages', options: pages.value },
        ]
    return all.filter(({ options }) => options.length)
  })

  return { groups, isCurrent, error, results: data }
}
