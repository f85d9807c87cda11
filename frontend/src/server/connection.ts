/**
 * Whether the appliance answers. Each answer and each heartbeat of the event stream is a sign of life; who hears
 * none for too long says so on every page, and nothing on the screen counts as the state of now.
 */
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'

export const useConnection = defineStore('connection', () => {
  const heardAt = ref(Date.now())
  const isLost = ref(false)
  /** The last request got no answer. */
  const hasMissed = ref(false)

  function heard(): void {
    heardAt.value = Date.now()
    hasMissed.value = false
    isLost.value = false
  }

  function missed(): void {
    hasMissed.value = true
  }

  function lose(): void {
    isLost.value = true
  }

  return {
    heardAt,
    isLost,
    /** What is not on the screen may exist all the same. */
    isUncertain: computed(() => isLost.value || hasMissed.value),
    heard,
    missed,
    lose,
  }
})
