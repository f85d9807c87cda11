/** Every field has help next to it, or is listed here with the reason why its name is enough. */
import { expect, it } from 'vitest'

const sources = Object.entries(
  import.meta.glob<string>('../**/*.vue', { query: '?raw', import: 'default', eager: true }),
)

/** Fields without help, by their label, under the reason. */
const NO_HELP: Record<string, string[]> = {
  'a name that people choose': ['hosts.description', 'schedules.note'],
  'known from every login': [
    'login.username',
    'login.password',
    'password.current',
    'password.fresh',
    'password.repeated',
    'backup.repeated',
    'settings.password',
  ],
  'the label is a sentence, or names what is to be typed': [
    'plan.typeName',
    'plan.typeReused',
    'label',
    'schedules.spans',
    'arrays.encryption.current',
    'arrays.encryption.passphrase',
  ],
  'a choice among things with names': [
    'schedules.subjects',
    'schedules.time',
    'start.owner',
    'volumes.array',
  ],
  'a number or a size, with its unit beside it': ['volumes.count', 'volumes.size', 'volumes.sizeEach'],
  'an address of one kind only': ['settings.logServer'],
  'the login of a server, as its administrator gave it': [
    'backup.scheduled.user',
    'backup.scheduled.password',
  ],
}
const excused = Object.values(NO_HELP).flat()

interface Field {
  place: string
  /** The keys of its texts; an expression without one is its own key. */
  labels: string[]
  hasHelp: boolean
}

const TAG = /<UFormField((?:[^>"]|"[^"]*")*)>/g
const fields: Field[] = sources.flatMap(([place, source]) =>
  [...source.matchAll(TAG)].flatMap(([, attributes = '']) => {
    const label = /\s:?label="([^"]*)"/.exec(attributes)?.[1]
    // A field without a label contains a box, which has its own words.
    if (label === undefined) return []
    const keys = [...label.matchAll(/t\(\s*['`]([\w.]+?)(?:\.\$\{[^}]*\})?['`]/g)].map(([, key]) => key ?? '')
    return [{ place, labels: keys.length ? keys : [label], hasHelp: /\s:?help="/.test(attributes) }]
  }),
)

it('finds the fields of the forms', () => {
  expect(fields.length).toBeGreaterThan(100)
  expect(fields.filter(({ hasHelp }) => hasHelp).length).toBeGreaterThan(70)
})

it('has help beside every field, or a reason why it needs none', () => {
  const missing = fields.filter(
    ({ labels, hasHelp }) => !hasHelp && !labels.every((one) => excused.includes(one)),
  )
  expect(missing.map(({ place, labels }) => `${place}: ${labels.join(', ')}`)).toEqual([])
})

it('excuses no field that is gone, or has help everywhere', () => {
  const bare = new Set(fields.filter(({ hasHelp }) => !hasHelp).flatMap(({ labels }) => labels))
  expect(excused.filter((one) => !bare.has(one))).toEqual([])
})
