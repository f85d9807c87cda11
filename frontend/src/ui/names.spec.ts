import { expect, it } from 'vitest'
import document from '../../../backend/openapi.json?raw'
import { freeName, isName, nameFrom } from './names'
import source from './names.ts?raw'

it('have the one pattern of the API document', () => {
  const { components } = JSON.parse(document) as {
    components: { schemas: Record<string, { properties: { name: { pattern: string } } }> }
  }
  for (const schema of ['ArrayCreate', 'VolumeCreate', 'HostCreate', 'HostGroupCreate', 'PortalCreate'])
    expect(source).toContain(`= /${components.schemas[schema]?.properties.name.pattern}/`)
})

it.each([
  ['lun01', true],
  [' lun01 ', true],
  ['a', true],
  ['a'.repeat(63), true],
  ['a'.repeat(64), false],
  ['_a', false],
  ['two words', false],
  ['', false],
])('%j is a name: %s', (text, expected) => expect(isName(text)).toBe(expected))

it.each([
  [['a'], 'tank'],
  [['tank', 'tank2'], 'tank3'],
])('a name nobody has beside %j is %s', (taken, name) => expect(freeName('tank', taken)).toBe(name))

it.each([
  ['esx 1 (rack 4)', 'esx-1-rack-4'],
  ['::', undefined],
  ['-a', 'a'],
])('of %j the name %s is left', (text, name) => expect(nameFrom(text)).toBe(name))
