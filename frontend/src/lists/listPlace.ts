/** The row a person has scrolled to stays with the entry of the browser's history: going back leads to it again. */
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
    // Somebody who went on meanwhile left another entry on top.
    if (path !== route.fullPath) return
    window.history.replaceState({ ...window.history.state, [KEY]: { path, row } satisfies Kept }, '')
  }, PAUSE_MS)

  return {
    start: kept?.path === route.fullPath ? kept.row : 0,
    keep: (row: number): void => void keep(route.fullPath, row),
  }
}
