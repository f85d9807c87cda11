/**
 * Typed values that were not sent. The user confirms before they are discarded. After a login that ended they are
 * restored from memory, which may also hold secrets, for the same user on the same page.
 */
import { defineStore } from 'pinia'
import { onBeforeUnmount, ref } from 'vue'
import type { Ref } from 'vue'
import type { Router } from 'vue-router'
import { useSession } from '@/session/session'

interface Work {
  isDirty: () => boolean
}

export const useUnsavedWork = defineStore('unsaved', () => {
  const works = new Set<Work>()
  const kept = new Map<string, object>()
  /** While the user is asked; called with the answer. */
  const asking = ref<(isLeaving: boolean) => void>()

  const isDirty = (): boolean => [...works].some((work) => work.isDirty())

  function ask(): Promise<boolean> {
    return new Promise((resolve) => {
      asking.value = (isLeaving) => {
        asking.value = undefined
        if (isLeaving) works.clear()
        resolve(isLeaving)
      }
    })
  }

  return { works, kept, asking, isDirty, ask }
})

/** Asks before `isDirty` work of a component is discarded. */
export function useUnsaved(isDirty: () => boolean): void {
  const { works } = useUnsavedWork()
  const work = { isDirty }
  works.add(work)
  onBeforeUnmount(() => works.delete(work))
}

/** A form in a dialog: Esc, a click outside and the close button do not discard typed values; the Cancel button does. */
export function useTouched(open: Ref<boolean>, isSent: () => boolean) {
  /** Something was typed into the form, and is not sent. */
  const isTouched = ref(false)
  const isAsking = ref(false)
  useUnsaved(() => open.value && isTouched.value && !isSent())

  function close(): void {
    if (isTouched.value && !isSent()) isAsking.value = true
    else open.value = false
  }

  function discard(): void {
    isTouched.value = false
    open.value = false
  }

  function begin(): void {
    isTouched.value = false
    isAsking.value = false
  }

  return { isTouched, isAsking, begin, close, discard }
}

/** The same for a draft that is a page of its own, and that is restored after a new login. */
export function useDraft<Draft extends object>(key: string, draft: Draft, isDirty: () => boolean): void {
  const { works, kept } = useUnsavedWork()
  const work = { isDirty }
  const place = `${useSession().username} ${key}`
  Object.assign(draft, kept.get(place))
  kept.delete(place)
  works.add(work)
  onBeforeUnmount(() => {
    // Discarded work is no longer among the works.
    if (works.delete(work) && isDirty()) kept.set(place, { ...draft })
  })
}

export function guardUnsaved(router: Router): void {
  const unsaved = useUnsavedWork()
  router.beforeEach((to, from) => {
    if (to.path === from.path || to.name === 'login' || !unsaved.isDirty()) return true
    return unsaved.ask()
  })
  window.addEventListener('beforeunload', (event) => unsaved.isDirty() && event.preventDefault())
}
