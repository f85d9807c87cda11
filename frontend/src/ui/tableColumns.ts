import type { Room } from './room'

/** The definition of one column of a DataTable. */
export interface TableColumn {
  /** Name of the cell's slot, and of the sort field unless `sort` names another. */
  key: string
  label: string
  /** True if the API can sort by `key`. */
  isSortable?: boolean
  /** Figures are right-aligned, so that digits line up. */
  isFigure?: boolean
  /** The label is for screen readers only, as above a column of buttons, which always stays in sight. */
  isUnlabelled?: boolean
  /** What the row is called: always shown, and the heading of its card. The first column without. */
  isTitle?: boolean
  /** The least room in which it is shown unless the user chose otherwise: 2 without, 1 on a phone's card too. */
  from?: Room
  /** Extra classes of the cells, such as a width. */
  class?: string
}

export const titleOf = (columns: TableColumn[]): TableColumn | undefined =>
  columns.find(({ isTitle }) => isTitle) ?? columns[0]

export const hasRoom = ({ from = 2 }: TableColumn, room: Room): boolean => from <= room

/** `name` and `-name` in turn; another column starts ascending. */
export function nextSort(current: string | undefined, key: string): string {
  return current === key ? `-${key}` : key
}

export function sortDirection(current: string | undefined, key: string): 'asc' | 'desc' | undefined {
  if (current === key) return 'asc'
  return current === `-${key}` ? 'desc' : undefined
}
