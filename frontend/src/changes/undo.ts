/** Tells that a change is made, and offers to undo it for a while. */
import { useToast } from '@nuxt/ui/composables'
import { useQueryClient } from '@tanstack/vue-query'
import { useI18n } from 'vue-i18n'
import { eventUndo } from '@/api'
import { invalidateTags, tagsFor } from '@/server/live'
import { useProblemToast } from './dialog'

export const UNDO_MS = 10_000

export function useDoneToast() {
  const { t } = useI18n()
  const toast = useToast()
  const queries = useQueryClient()
  const tellProblem = useProblemToast()
  const look = { color: 'success', icon: 'i-lucide-circle-check' } as const

  async function undo(title: string, noun: string, event: number): Promise<void> {
    try {
      await eventUndo({
        path: { event },
        headers: { 'Idempotency-Key': crypto.randomUUID() },
        throwOnError: true,
      })
      toast.add({ title: t('plan.undone', { what: title }), ...look })
    } catch (problem) {
      tellProblem(problem)
    } finally {
      void invalidateTags(queries, new Set(tagsFor(noun)))
    }
  }

  /** `event` is the one that can be undone, if there is one. */
  return (title: string, noun: string, event: number | undefined): void => {
    if (event === undefined) {
      toast.add({ title, ...look })
      return
    }
    const made = toast.add({
      title,
      ...look,
      duration: UNDO_MS,
      actions: [
        {
          label: t('plan.undo'),
          icon: 'i-lucide-undo-2',
          color: 'neutral',
          variant: 'outline',
          onClick: () => {
            toast.remove(made.id)
            void undo(title, noun, event)
          },
        },
      ],
    })
  }
}
