/** How many times as long everything may take today: tests/machines/pace.py measures it, and `make test` hands it on. */
const PACE = Math.max(1, Number(process.env['LUNETTE_PACE']) || 1)

/** So many seconds at today's pace, in milliseconds: every wait of these tests that is not the default one. */
export const within = (seconds: number): number => Math.round(seconds * 1000 * PACE)
