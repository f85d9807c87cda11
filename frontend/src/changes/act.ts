/** A change that a click starts and a plan dialog finishes; pages with many of them share one dialog. */
import type { Change } from './change'
import { useDialog } from './dialog'

export interface Act {
  title: string
  /** The label of the button that applies it. */
  verb: string
  change: () => Change
  description?: string
  /** The name to type if the plan cannot be undone. */
  subject?: string
  isDestructive?: boolean
}

export const useAct = useDialog<Act>
