/** The user's choices for this browser: theme, units, columns and views of lists. In local storage, never on the server. */
import { useColorMode, useLocalStorage } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed } from 'vue'
import type { LocationQuery } from 'vue-router'
import type { SizeSystem } from '@/ui/format'
import { useSession } from './session'

export type ZoneChoice = 'appliance' | 'browser' | 'utc'

export interface SavedView {
  name: string
  /** What is in the address of the page. */
  query: LocationQuery
  columns: Record<string, boolean>
}

export const usePreferences = defineStore('preferences', () => {
  // public/theme.js reads the same key before the first paint. Switching without transitions would take a style element,
  // which the content security policy forbids.
  const mode = useColorMode({ storageKey: 'lunette-theme', disableTransition: false })
  const sizes = useLocalStorage<SizeSystem>('lunette-sizes', 'binary')

  /** Columns whose visibility differs from the default, by the page's name. */
  const columns = useLocalStorage<Record<string, Record<string, boolean>>>('lunette-columns', {})

  /** Saved views of lists, by user and page. */
  const views = useLocalStorage<Record<string, Record<string, SavedView[]>>>('lunette-views', {})
  /** The time zone of the shown times, for each user of this browser. */
  const zones = useLocalStorage<Record<string, ZoneChoice>>('lunette-zones', {})
  const session = useSession()
  const zone = computed<ZoneChoice>({
    get: () => zones.value[session.username ?? ''] ?? 'browser',
    set: (choice) => (zones.value = { ...zones.value, [session.username ?? '']: choice }),
  })

  const isDark = computed(() => mode.state.value === 'dark')
  const theme = computed({
    get: () => mode.store.value,
    set: (choice: 'auto' | 'light' | 'dark') => (mode.value = choice),
  })

  function toggleTheme(): void {
    mode.value = isDark.value ? 'light' : 'dark'
  }

  return { theme, isDark, toggleTheme, sizes, zone, columns, views }
})
