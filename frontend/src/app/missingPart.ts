/**
 * A part of the page that cannot be loaded: there is no connection, or an update replaced the files this page came
 * with. Nothing is reloaded without a request of the user, so that typed values are not lost and no loop can occur.
 */
import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { Router } from 'vue-router'
import { statusShow } from '@/api'

type Reason = 'unreachable' | 'updated' | 'missing'
/** What Chromium, Firefox, Safari and Vite say. */
const WORDS = /dynamically imported module|Importing a module script failed|Unable to preload/i
const ANSWERS_WITHIN_MS = 5_000

export const useMissingPart = defineStore('missingPart', () => {
  const reason = ref<Reason>()
  /** The address that was requested. */
  const wanted = ref<string>()
  let version: string | undefined

  /** The version of the appliance now; the first one is that of this page. */
  function note(now: string): void {
    version ??= now
    if (now !== version) reason.value = 'updated'
  }

  async function missed(to?: string): Promise<void> {
    wanted.value = to
    const { data } = await statusShow({ signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
    reason.value = data ? 'missing' : 'unreachable'
    if (data) note(data.version)
  }

  function dismiss(): void {
    reason.value = undefined
  }

  return { reason, wanted, note, missed, dismiss }
})

export const isMissingPart = (error: unknown): boolean => error instanceof Error && WORDS.test(error.message)

export function watchForMissingParts(router: Router): void {
  const part = useMissingPart()
  router.onError((error, to) => {
    if (isMissingPart(error)) void part.missed(to.fullPath)
  })
  // Parts that are no pages, such as the editor of the site document.
  window.addEventListener('vite:preloadError', () => void part.missed())
}
