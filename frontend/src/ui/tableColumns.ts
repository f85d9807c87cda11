/** The definition of one column of a DataTable. */
export interface TableColumn {
  /** Name of the cell's slot, and of the sort field unless `sort` names another. */
  key: string
  label: string
  /** True if the API can sort by `key`. */
  isSortable?: boolean
  /** Figures are right-aligned, so that digits line up. */
  isFigure?: boolean
  /** The label is for screen readers only, as above a column of buttons. */
  isUnlabelled?: boolean
  /** Hidden by default. */
  isOptional?: boolean
  /** Extra classes of the cells, such as a width. */
  class?: string
}

/** `name` and `-name` in turn; another column starts ascending. */
export function nextSort(current: string | undefined, key: string): string {
  return current === key ? `-${key}` : key
}

export function sortDirection(current: string | undefined, key: string): 'asc' | 'desc' | undefined {
  if (current === key) return 'asc'
  return current === `-${key}` ? 'desc' : undefined
}
