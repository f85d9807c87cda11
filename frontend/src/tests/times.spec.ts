/** Times are written in one place, so that all of them are in the time zone that the user chose. */
import { expect, it } from 'vitest'

const sources = import.meta.glob<string>('../**/*.{ts,vue}', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const outside = Object.entries(sources).filter(
  ([path]) => !/\/api\/|\.spec\.ts$|\/ui\/format\.ts$/.test(path),
)
const found = (pattern: RegExp) => outside.filter(([, text]) => pattern.test(text)).map(([path]) => path)

it('formats times only in ui/format', () => {
  expect(outside.length).toBeGreaterThan(200)
  expect(found(/Intl\.DateTimeFormat|\.toLocale|\.getTimezoneOffset|\.to(?:Date|Time)String/)).toEqual([])
})

it('has no field in which the browser decides how a time is typed', () => {
  expect(found(/type="(?:date|time|datetime-local|month|week)"/)).toEqual([])
})
