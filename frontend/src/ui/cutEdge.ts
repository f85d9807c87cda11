/** Whether something wide continues to the right of its frame, so that a shadow can show it. */
import { useEventListener, useResizeObserver } from '@vueuse/core'
import { ref } from 'vue'
import type { Ref } from 'vue'

export function useCutEdge(frame: Readonly<Ref<HTMLElement | null>>): Readonly<Ref<boolean>> {
  const isCut = ref(false)
  const look = (): void => {
    const { scrollLeft = 0, clientWidth = 0, scrollWidth = 0 } = frame.value ?? {}
    isCut.value = scrollLeft + clientWidth < scrollWidth - 1
  }
  useResizeObserver(frame, look)
  useResizeObserver(() => frame.value?.firstElementChild as HTMLElement | null | undefined, look)
  useEventListener(frame, 'scroll', look, { passive: true })
  return isCut
}
