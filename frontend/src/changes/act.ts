/** A change that a click starts and a plan dialog finishes; pages with many of them keep one dialog for all. */
import type { Change } from './change'
import { useDialog } from './dialog'

export interface Act {
  title: string
  /** The word on the button that makes it. */
  verb: string
  change: () => Change
  description?: string
  /** The name to type where the plan cannot be taken back. */
  subject?: string
  isDestructive?: boolean
}

export const useAct = useDialog<Act>
