import { describe, expect, it } from 'vitest'
import { mdEngine, zfsEngine } from '../../../mock/engines'
import { layouts } from '../../../mock/layouts'
import { nvmeDisk, sasDisk } from '../../../mock/storage'
import { makeWorld } from '../../../mock/world'
import { bodyOf, freshDraft, suggestLevel } from './arrayDraft'
import { groupDisks, spread, take } from './diskChoice'

const occupied = sasDisk(4, { state: 'occupied', wipeable: true })
const disks = [occupied, sasDisk(1), sasDisk(2), sasDisk(3), nvmeDisk(1)]
const atNode = (number: number, node: number) => {
  const disk = sasDisk(number)
  return { ...disk, observed: disk.observed && { ...disk.observed, numa_node: node } }
}

describe('disks by rule', () => {
  it('are grouped by model and size, without members of other arrays', () => {
    const [group, ...rest] = groupDisks(disks)
    expect(rest).toEqual([])
    expect(group?.disks.map(({ serial }) => serial)).toEqual(['ZL2A001Q', 'ZL2A002Q', 'ZL2A003Q', 'ZL2A004Q'])
  })

  it('never take a disk that would be wiped, nor one that was chosen for something else', () => {
    const [group] = groupDisks(disks)
    const [one, two, three] = [1, 2, 3].map((number) => sasDisk(number).id)
    expect(group && take(['other'], group, 4)).toEqual(['other', one, two, three])
    expect(group && take([], group, 4, new Set([two ?? '']))).toEqual([one, three])
  })

  it('are taken evenly from the NUMA nodes', () => {
    const found = spread([atNode(1, 0), atNode(2, 0), atNode(3, 0), atNode(4, 1)])
    expect(found.map(({ serial }) => serial)).toEqual(['ZL2A001Q', 'ZL2A004Q', 'ZL2A002Q', 'ZL2A003Q'])
  })
})

describe('the body of a creation', () => {
  const level = (name: string) => {
    const found = [mdEngine(), zfsEngine()].flatMap(({ levels }) => levels).find((one) => one.level === name)
    if (!found) throw new Error(`no level ${name}`)
    return found
  }
  const draft = () => ({ ...freshDraft(), name: ' tank ', disks: [occupied.id, sasDisk(1).id] })

  it('has only what the level has, and wipes only what was said of', () => {
    const asked = draft()
    Object.assign(asked, { level: 'raid1', wipe: [occupied.id, 'another'] })
    Object.assign(asked.options, { chunk_bytes: '65536', layout: 'f2' })
    expect(bodyOf(asked, level('raid1'))).toEqual({
      name: 'tank',
      engine: 'md',
      level: 'raid1',
      disks: asked.disks,
      wipe: [occupied.id],
    })
    asked.level = 'raid10'
    expect(bodyOf(asked, level('raid10'))).toMatchObject({ chunk_bytes: 65_536, layout: 'f2' })
  })

  it('has disks beside the data where the level has them, and numbers as numbers', () => {
    const asked = { ...draft(), engine: 'zfs' as const, level: 'draid1' as const }
    asked.disks.push(sasDisk(2).id)
    asked.beside.log = ['log']
    Object.assign(asked.options, { group_data_disks: '2', sync_speed_min_bytes_s: '50' })
    expect(bodyOf(asked, level('draid1'))).toMatchObject({ log: ['log'], group_data_disks: 2 })
    expect(bodyOf(asked, level('draid1'))).not.toHaveProperty('sync_speed_min_bytes_s')
    asked.level = 'raid5' as never
    expect(bodyOf({ ...asked, engine: 'md' }, level('raid5'))).toMatchObject({
      sync_speed_min_bytes_s: 50 * 2 ** 20,
    })
  })

  it('is none before there are enough disks', () => expect(bodyOf(draft(), level('raid6'))).toBeUndefined())
})

it.each([
  [2, 'md', 'raid1'],
  [3, 'md', 'raid5'],
  [8, 'md', 'raid6'],
  [2, 'zfs', 'mirror'],
  [8, 'zfs', 'raidz2'],
  [1, 'md', undefined],
])('the usual level for %d disks of %s is %s', (count, engine, expected) => {
  const world = { ...makeWorld(), disks: Array.from({ length: count }, (_, index) => sasDisk(index + 1)) }
  const ids = world.disks.map(({ id }) => id)
  const found = layouts(world, ids).layouts.filter((one) => one.engine === engine)
  expect(suggestLevel(count, found)).toBe(expected)
})
