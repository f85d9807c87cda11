/** How a mapped cell looks by how it is served: what is not served has a sign beside its number, not a tint alone. */
import type { ExportState, Volume } from '@/api'

export interface CellLook {
  tint: string
  icon?: string
}

const CELL_LOOK: Record<ExportState, CellLook> = {
  open: { tint: 'bg-primary/15 text-primary' },
  pending: {
    tint: 'bg-warning/15 text-highlighted ring-1 ring-warning/40 ring-inset',
    icon: 'i-lucide-hourglass',
  },
  blocked: { tint: 'bg-error/15 text-error ring-1 ring-error/40 ring-inset', icon: 'i-lucide-ban' },
  unknown: {
    tint: 'bg-elevated text-default ring-1 ring-(--ui-border-accented) ring-inset',
    icon: 'i-lucide-circle-question-mark',
  },
  none: { tint: 'bg-elevated text-default' },
}

export const cellLook = ({ state }: { state: ExportState }): CellLook => CELL_LOOK[state]

/** The signs that are drawn now, for the key to them. */
export function signsOf(
  volumes: readonly Pick<Volume, 'mapped_to'>[],
): { state: ExportState; icon: string }[] {
  const states = new Set(volumes.flatMap((one) => one.mapped_to.map(({ state }) => state)))
  return [...states].flatMap((state) => {
    const { icon } = CELL_LOOK[state]
    return icon ? [{ state, icon }] : []
  })
}

/** The hosts and groups that have a volume. */
export const ownerNames = ({ mapped_to: owners }: Pick<Volume, 'mapped_to'>): string =>
  owners.map(({ host, host_group: group }) => host ?? group).join(', ')
