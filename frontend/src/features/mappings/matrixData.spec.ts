import { describe, expect, it } from 'vitest'
import type { Mapping } from '@/api'
import { loggedIn } from '../../../mock/world'
import { withMapping } from './matrixData'

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
