/** Every requested text exists, no text is unused, and no folder overwrites the texts of another. */
import { expect, it } from 'vitest'
import api from '@/api/texts.gen.json'

const code = import.meta.glob<string>(['../**/*.{vue,ts}', '!../api/**', '!../**/*.spec.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const sources = Object.values(code).join('\n')

function flatten(texts: object, prefix = ''): string[] {
  return Object.entries(texts).flatMap(([key, value]) =>
    typeof value === 'string' ? [prefix + key] : flatten(value as object, `${prefix}${key}.`),
  )
}

const files = Object.values(import.meta.glob<object>('../**/en.json', { import: 'default', eager: true }))
const names = [...files, { api }].flatMap(Object.keys)
const keys = flatten(Object.assign({}, ...files, { api }))
/** Whole keys, such as 'disks.title', and the beginnings of computed ones, such as `disks.states.${…}`. */
const quoted = new Set([...sources.matchAll(/'([a-z]\w*(?:\.\w+)+)'/gi)].map((match) => match[1] ?? ''))
const computed = [...sources.matchAll(/`([a-z]\w*\.(?:\w+\.)*)\$\{/gi)].map((match) => match[1] ?? '')
/** Every page of the router has a title under its own name. */
const pages = [...sources.matchAll(/\bpage\('[^']*', '(\w+)'/g)].map((match) => match[1])
const titles = new RegExp(`^(${pages.join('|')})\\.title$`)

it('has each first part of a key in one file', () => {
  expect(files.length).toBeGreaterThan(30)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

it('has every text that is asked for', () => {
  const asked = [...sources.matchAll(/\bt\(\s*'([^']+)'/g)].map((match) => match[1] ?? '')
  expect(asked.length).toBeGreaterThan(50)
  expect(asked.filter((key) => !keys.includes(key))).toEqual([])
  expect(computed.filter((start) => !keys.some((key) => key.startsWith(start)))).toEqual([])
})

it('has no text that nobody asks for', () => {
  const isUsed = (key: string) =>
    quoted.has(key) || titles.test(key) || computed.some((start) => key.startsWith(start))
  expect(keys.filter((key) => !isUsed(key))).toEqual([])
})

it('has in ui/ only texts of ui/', () => {
  const shared = Object.entries(code).flatMap(([path, text]) => (path.startsWith('../ui/') ? [text] : []))
  const quoted = shared.flatMap((text) =>
    [...text.matchAll(/['`]([a-z]\w*)\.\w/gi)].map((match) => match[1] ?? ''),
  )
  const asked = quoted.filter((name) => names.includes(name))
  expect(asked.length).toBeGreaterThan(10)
  expect(asked.filter((name) => name !== 'ui')).toEqual([])
})
