/** What the API answers with one of a closed set of words, the page says in words of its own, or it is listed why not. */
import { expect, it } from 'vitest'
import text from '../../../backend/openapi.json?raw'

/** Words that no page shows, or that are the words of the trade themselves. */
const NO_TEXT: Record<string, string> = {
  AlertFamily: 'an alert has a sentence of its own',
  ArrayVerb: 'which acts an array takes: each has a button of its own',
  BondMode: 'explained where it is chosen; 802.3ad is its name',
  Convergence: 'in the metrics and the support report',
  DhGroup: 'names of cryptography',
  DhHash: 'names of cryptography',
  EngineAbility: 'decides what a form offers',
  HealthState: 'the header says it in a sentence',
  InitiatorKind: 'an abbreviation that is written the same',
  KitProof: 'the kit says it in a sentence',
  Measured: 'asked for, never shown',
  NextStep: 'decides which button there is',
  ProblemType: 'a problem has a title of its own',
  ReleaseKind: 'the wizard for adopting says it with a name',
  Scheduler: "names of the kernel's",
  SearchMatch: 'decides the order of what was found, never shown',
  SelfTestResult: 'said with its time',
  TrialState: 'the page of updates says it in a sentence',
}

const api = JSON.parse(text) as { components: { schemas: Record<string, { enum?: unknown[] }> } }
const enums = Object.entries(api.components.schemas).flatMap(([name, { enum: words }]) =>
  words ? [{ name, words: words.map(String) }] : [],
)

/** For each part of the texts, the keys below it. */
function partsOf(texts: object): Set<string>[] {
  const below = Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'object' ? [key, ...keysOf(value as object).map((rest) => `${key}.${rest}`)] : [key],
  )
  const inner = Object.values(texts).filter((value): value is object => typeof value === 'object')
  return [new Set(below), ...inner.flatMap(partsOf)]
}

const keysOf = (texts: object): string[] =>
  Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'object' ? [key, ...keysOf(value as object).map((rest) => `${key}.${rest}`)] : [key],
  )

const files = Object.values(import.meta.glob<object>('../**/en.json', { import: 'default', eager: true }))
const parts = files.flatMap(partsOf)
const untold = enums
  .filter(({ words }) => !parts.some((part) => words.every((word) => part.has(word))))
  .map(({ name }) => name)

it('has a text for every word of every set, or says why not', () => {
  expect(enums.length).toBeGreaterThan(50)
  expect(untold.filter((name) => !(name in NO_TEXT))).toEqual([])
})

it('excuses no enum that has its texts, or that no longer exists', () => {
  expect(Object.keys(NO_TEXT).filter((name) => !untold.includes(name))).toEqual([])
})
