/** A dialog about one row of a list: which row, and whether it is open. The row stays while the dialog closes. */
import { useToast } from '@nuxt/ui/composables'
import { ref, shallowRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { readProblem } from '@/ui/problems'

export function useDialog<Row>() {
  const isOpen = ref(false)
  const row = shallowRef<Row>()

  function show(subject?: Row): void {
    row.value = subject
    isOpen.value = true
  }

  return { isOpen, row, show }
}

/** Tells of a refusal where no dialog or form is open to show it. */
export function useProblemToast() {
  const { t } = useI18n()
  const toast = useToast()
  return (error: unknown): void => {
    const { title, detail } = readProblem(error, t('ui.unreachable'))
    toast.add({ title, description: detail, color: 'error', icon: 'i-lucide-circle-alert', duration: 15_000 })
  }
}
