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

/** The present row, with its response, whose ETag binds the change to it. */
export interface Read<Row> {
  data: Row
  response: Response
}

type Answer<Row> = Promise<{ data?: Row; response?: Response; error?: unknown }>

/** The dialog of a form that creates a row, or edits one that is read when the dialog opens. */
export function useEditing<Row>(read: (id: string) => Answer<Row>) {
  const dialog = useDialog<Read<Row>>()
  const tellProblem = useProblemToast()

  async function edit({ id }: { id: string }): Promise<void> {
    const { data, response, error } = await read(id)
    if (data && response) dialog.show({ data, response })
    else tellProblem(error)
  }

  return { ...dialog, edit }
}

/** Shows a refusal if no dialog or form is open to show it. */
export function useProblemToast() {
  const { t } = useI18n()
  const toast = useToast()
  return (error: unknown): void => {
    const { title, detail } = readProblem(error, t('ui.unreachable'))
    toast.add({ title, description: detail, color: 'error', icon: 'i-lucide-circle-alert', duration: 15_000 })
  }
}
