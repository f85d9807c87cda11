/** How much of a table there is room for, by the width of the window. */
import { useMediaQuery } from '@vueuse/core'
import { computed } from 'vue'
import type { ComputedRef } from 'vue'

/** 1: a phone, which shows cards; 2: a tablet; 3: a laptop; 4: a whole 4K screen. */
export type Room = 1 | 2 | 3 | 4

const FROM = ['(min-width: 40rem)', '(min-width: 80rem)', '(min-width: 187.5rem)']

export function useRoom(): ComputedRef<Room> {
  const passed = FROM.map((query) => useMediaQuery(query))
  return computed(() => (1 + passed.filter((one) => one.value).length) as Room)
}
