/** Ids and times of what is made while the mock runs. */
export const MADE = '2026-11-20T09:12:00Z'
let made = 0
export const freshId = (noun: string): string => `${noun}-new-${(made += 1)}`
