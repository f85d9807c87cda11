/** The columns of one table that the user chose to see, by the name of its page. */
import { computed } from 'vue'
import { useRoute } from 'vue-router'
import { usePreferences } from '@/session/preferences'
import { useRoom } from '@/ui/room'
import { hasRoom } from '@/ui/tableColumns'
import type { TableColumn } from '@/ui/tableColumns'

const without = <Value>(record: Record<string, Value>, key: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([one]) => one !== key))

export function useColumns() {
  const preferences = usePreferences()
  const table = String(useRoute().name ?? '')
  const chosen = computed(() => preferences.columns[table] ?? {})

  const room = useRoom()

  const isShown = (column: TableColumn): boolean => chosen.value[column.key] ?? hasRoom(column, room.value)

  /** Columns in their default state are not stored, so that a later version may change the default. */
  function show(column: TableColumn, isNow: boolean): void {
    const rest = without(chosen.value, column.key)
    const isUsual = isNow === hasRoom(column, room.value)
    keep(isUsual ? rest : { ...rest, [column.key]: isNow })
  }

  function keep(own: Record<string, boolean>): void {
    const others = without(preferences.columns, table)
    preferences.columns = Object.keys(own).length ? { ...others, [table]: own } : others
  }

  return {
    /** As stored: those that differ from what is usual. */
    chosen,
    keep,
    isShown,
    show,
    isChosen: computed(() => Object.keys(chosen.value).length > 0),
    reset: () => keep({}),
  }
}

export type ColumnState = ReturnType<typeof useColumns>
