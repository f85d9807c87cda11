import { describe, expect, it } from 'vitest'
import type { Mapping } from '@/api'
import { loggedIn } from '../../../mock/world'
import { cellsOf, hostKey, withMapping } from './matrixData'

it('a cell says whether the volume is served through its own mapping', () => {
  const [volume] = loggedIn().volumes
  const [one] = volume?.mapped_to ?? []
  if (!volume || !one) throw new Error('The mock has no mapped volume.')
  const blocked = { ...one, host: 'esx9', mapping_id: 'second', state: 'blocked' as const, reason: 'away' }
  const cells = cellsOf([{ ...volume, mapped_to: [one, blocked] }])
  const states = [one.host ?? '', 'esx9'].map((host) => cells.get(hostKey(host))?.get(volume.id)?.state)
  expect(states).toEqual(['open', 'blocked'])
})

describe('a mapping that the API has just answered', () => {
  const { volumes } = loggedIn()
  const [volume] = volumes
  if (!volume) throw new Error('The mock has no volume.')
  const made = {
    id: 'new',
    volume_id: volume.id,
    host: 'esx9',
    host_group: null,
    family: 'scsi',
    lun: 7,
    state: 'pending',
    reason: 'not yet',
  } as Mapping

  it('gives its state to a volume that nobody had', () => {
    const free = { ...volume, mapped_to: [], export: { state: 'none' as const, reason: null } }
    const [found] = withMapping([free], made)
    expect(found?.export).toEqual({ state: 'pending', reason: 'not yet' })
    expect(found?.mapped_to.map(({ lun }) => lun)).toEqual([7])
  })

  it('leaves a volume as it is that is served to somebody else', () => {
    const served = { ...volume, export: { state: 'open' as const, reason: null } }
    expect(withMapping([served], made)[0]?.export.state).toBe('open')
  })
})
