/** The borders of fields, boxes and buttons are seen by people with weak sight (WCAG 1.4.11), in both themes. */
import { describe, expect, it } from 'vitest'
import colours from './colours.css?raw'
import theme from './theme.css?raw'

const LEAST = 3
/** Nuxt UI's own, where the theme sets none. */
const DEFAULTS = {
  light: { '--ui-bg': '#ffffff', '--ui-bg-muted': 'var(--ui-color-neutral-50)' },
  dark: { '--ui-bg': 'var(--ui-color-neutral-900)' },
}

const declared = (css: string): [string, string][] =>
  [...css.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value])

/** The declarations of the first rule with this selector. */
function rule(selector: string): [string, string][] {
  const start = theme.indexOf(`${selector} {`)
  if (start < 0) throw new Error(`theme.css has no rule ${selector}`)
  return declared(theme.slice(start, theme.indexOf('}', start)))
}

const scales = [...declared(colours), ...declared(theme.slice(0, theme.indexOf('.light,')))]
const values = (mode: 'light' | 'dark') =>
  new Map([...scales, ...Object.entries(DEFAULTS[mode]), ...rule(mode === 'light' ? ':root' : '\n.dark')])

function resolve(all: Map<string, string>, name: string): string {
  const value = all.get(name)
  if (!value) throw new Error(`${name} has no value`)
  const [, other] = /^var\((--[\w-]+)\)$/.exec(value) ?? []
  return other ? resolve(all, other) : value
}

/** Relative luminance, as WCAG defines it. */
function luminance(hex: string): number {
  const parts = /^#(..)(..)(..)$/.exec(hex)?.slice(1)
  if (!parts) throw new Error(`${hex} is no colour`)
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = parseInt(part, 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe.each(['light', 'dark'] as const)('in the %s theme', (mode) => {
  const all = values(mode)

  it.each(['--ui-bg', '--ui-page', '--ui-bg-muted'])('a border stands out from %s', (ground) => {
    const ratio = contrast(resolve(all, '--ui-border-accented'), resolve(all, ground))
    expect(ratio).toBeGreaterThanOrEqual(LEAST)
  })

  it.each(['--ui-bg', '--ui-page'])('a checked box stands out from %s', (ground) => {
    expect(contrast(resolve(all, '--ui-primary'), resolve(all, ground))).toBeGreaterThanOrEqual(LEAST)
  })
})

it('knows black from white', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
})
