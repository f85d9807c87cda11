/** Which columns of one table a person chose to see, by the name of its page. */
import { computed } from 'vue'
import { useRoute } from 'vue-router'
import { usePreferences } from '@/session/preferences'
import type { TableColumn } from '@/ui/tableColumns'

const without = <Value>(record: Record<string, Value>, key: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([one]) => one !== key))

export function useColumns() {
  const preferences = usePreferences()
  const table = String(useRoute().name ?? '')
  const chosen = computed(() => preferences.columns[table] ?? {})

  const isShown = (column: TableColumn): boolean => chosen.value[column.key] ?? !column.isOptional

  /** What is as it is anyway is not kept, so that a later version may choose better. */
  function show(column: TableColumn, isNow: boolean): void {
    const rest = without(chosen.value, column.key)
    const isUsual = isNow === !column.isOptional
    keep(isUsual ? rest : { ...rest, [column.key]: isNow })
  }

  function keep(own: Record<string, boolean>): void {
    const others = without(preferences.columns, table)
    preferences.columns = Object.keys(own).length ? { ...others, [table]: own } : others
  }

  return {
    isShown,
    show,
    isChosen: computed(() => Object.keys(chosen.value).length > 0),
    reset: () => keep({}),
  }
}

export type ColumnState = ReturnType<typeof useColumns>
