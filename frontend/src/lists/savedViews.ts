/** Search, filters, order and columns of a list under a name: those of one user, stored in this browser. */
import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { usePreferences } from '@/session/preferences'
import type { SavedView } from '@/session/preferences'
import { useSession } from '@/session/session'
import type { ColumnState } from './columnState'

/** The same whatever the order in which filters and columns were chosen. */
const content = ({ query, columns }: Omit<SavedView, 'name'>): string =>
  JSON.stringify([query, columns].map((one) => Object.entries(one).sort()))

export function useSavedViews(columns: ColumnState) {
  const preferences = usePreferences()
  const session = useSession()
  const route = useRoute()
  const router = useRouter()
  const page = String(route.name ?? '')

  const views = computed({
    get: () => preferences.views[session.username ?? '']?.[page] ?? [],
    set(next: SavedView[]) {
      const user = session.username ?? ''
      preferences.views = { ...preferences.views, [user]: { ...preferences.views[user], [page]: next } }
    },
  })
  const present = computed(() => ({ query: route.query, columns: columns.chosen.value }))
  const current = computed(() => views.value.find((view) => content(view) === content(present.value)))
  const without = (name: string) => views.value.filter((view) => view.name !== name)

  return {
    views,
    /** The view that is shown now, unless something was changed since. */
    current,
    /** Replaces one of the same name. */
    save: (name: string) => {
      views.value = [...without(name), { name, ...present.value }].sort((one, other) =>
        one.name.localeCompare(other.name),
      )
    },
    remove: (name: string) => (views.value = without(name)),
    show: async ({ query, columns: own }: SavedView) => {
      columns.keep(own)
      await router.push({ query })
    },
  }
}
