import { describe, expect, it } from 'vitest'
import published from '../../../../docs/reference/site.schema.json?raw'
import { offersAt, placeAt } from './siteSchema'
import type { Schema } from './siteSchema'

/** The bar is the position of the cursor. */
function offered(text: string): string[] {
  const place = placeAt(text.replace('|', ''), text.indexOf('|'))
  return place ? offersAt(JSON.parse(published) as Schema, place).map(({ label }) => label) : []
}

describe('completion by the published schema', () => {
  it('offers the sections of a document, without those that are there', () => {
    expect(offered('|')).toEqual(expect.arrayContaining(['arrays', 'volumes', 'hosts', 'mappings']))
    expect(offered('arrays:\n  - name: tank\n|')).not.toContain('arrays')
    expect(offered('|\narrays:\n  - name: tank\n')).not.toContain('arrays')
  })

  it('offers the fields of the item the cursor is in, and those of the next again', () => {
    expect(offered('arrays:\n  - |')).toEqual(expect.arrayContaining(['name', 'level', 'disks']))
    expect(offered('arrays:\n  - name: tank\n    le|')).toContain('level')
    expect(offered('arrays:\n  - name: tank\n    |\n    level: raid5')).not.toContain('level')
    expect(offered('arrays:\n  - name: tank\n    level: raid5\n  - |')).toContain('level')
    expect(offered('arrays:\n  - name: tank\nvolumes:\n  - na|')).toContain('provisioning')
  })

  it('offers the words a value can be', () => {
    expect(offered('arrays:\n  - name: tank\n    level: |')).toContain('raidz2')
    expect(offered('volumes:\n  - provisioning: th|')).toEqual(expect.arrayContaining(['thin', 'thick']))
    expect(offered('arrays:\n  - name: |')).toEqual([])
  })

  it.each(['# comm|', 'arrays: [{na|', 'nonsense:\n  wr|'])('offers nothing at %j', (text) =>
    expect(offered(text)).toEqual([]),
  )
})
