/** Tells that a change is made, and offers to undo it for a while. */
import { useToast } from '@nuxt/ui/composables'
import { useQueryClient } from '@tanstack/vue-query'
import { useI18n } from 'vue-i18n'
import { eventUndo } from '@/api'
import { invalidateTags, tagsFor } from '@/server/live'
import { useProblemToast } from './dialog'

const UNDO_S = 10
/** Finds the toasts that offer an undo. */
const CLASS = 'offers-undo'

const isHeld = (): boolean =>
  [...document.querySelectorAll(`.${CLASS}`)].some(
    (toast) => toast.matches(':hover') || toast.contains(document.activeElement),
  )

/**
 * Ends the offer after ten seconds in which the page could be used: a stalled page shows nothing and takes no clicks,
 * and its missed ticks are not made up for. A toast under the pointer or with the focus stays.
 */
function endLater(isOffered: () => boolean, end: () => void): void {
  let left = UNDO_S
  const timer = setInterval(() => {
    if (isOffered()) {
      if (isHeld()) return
      left -= 1
      if (left > 0) return
      end()
    }
    clearInterval(timer)
  }, 1000)
}

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
      class: CLASS,
      duration: 0,
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
    endLater(
      () => toast.toasts.value.some(({ id }) => id === made.id),
      () => toast.remove(made.id),
    )
  }
}
