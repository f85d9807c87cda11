/** The row to which the user has scrolled is stored in the entry of the browser's history: going back returns to it. */
import { useDebounceFn } from '@vueuse/core'
import { useRoute } from 'vue-router'

const KEY = 'lunetteTop'
const PAUSE_MS = 200

interface Kept {
  path: string
  row: number
}

export function useListPlace() {
  const route = useRoute()
  const kept = (window.history.state as Record<string, Kept | undefined> | null)?.[KEY]

  const keep = useDebounceFn((path: string, row: number) => {
    // A user who navigated meanwhile has another entry on top.
    if (path !== route.fullPath) return
    window.history.replaceState({ ...window.history.state, [KEY]: { path, row } satisfies Kept }, '')
  }, PAUSE_MS)

  return {
    start: kept?.path === route.fullPath ? kept.row : 0,
    keep: (row: number): void => void keep(route.fullPath, row),
  }
}
