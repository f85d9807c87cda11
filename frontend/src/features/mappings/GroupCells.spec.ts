/** What a host has through its group, and what another host has, in the matrix. */
import { describe, expect, it } from 'vitest'
import { cursor, open, press } from '../../../mock/matrix'
import { control } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

describe('a volume of a host group', () => {
  function clustered() {
    const world = loggedIn()
    const one = world.volumes.find(({ name }) => name === 'scratch1')
    if (!one) throw new Error('The mock has no scratch1.')
    one.mapped_to = [
      {
        mapping_id: 'shared',
        host: null,
        host_group: 'esx-cluster',
        family: 'scsi',
        lun: 7,
        state: 'open',
        reason: null,
      },
    ]
    one.export = { state: 'open', reason: null }
    return world
  }

  it('is drawn in the rows of the members, which say through which group', async () => {
    const { page } = await open('/mappings?host=esx&volume=scratch', clustered())
    const cells = [...page.querySelectorAll('[role=gridcell]')].map((one) => one.getAttribute('aria-label'))
    expect(cells).toEqual([
      'esx-cluster, scratch1: LUN 7, Online',
      'esx-cluster-node-a, scratch1: LUN 7 through host group esx-cluster, Online',
    ])
    expect(page.querySelectorAll('[role=gridcell] .through-group')).toHaveLength(1)
    expect(page.querySelector('[aria-label=Legend]')?.textContent).toContain('Through the host group')
  })

  it('is not unmapped from a member', async () => {
    const { page, requests } = await open('/mappings?host=esx-cluster-node-a&volume=scratch', clustered())
    await press(page, 'Enter')
    expect(document.body.textContent).toContain(
      'esx-cluster-node-a has scratch1 through host group esx-cluster',
    )
    expect(requests.filter((one) => /POST|DELETE/.test(one))).toEqual([])
    expect(page.querySelector('[aria-label="Selected cell"]')?.textContent).toContain(
      'Through the host group esx-cluster',
    )
    expect(() => control(page, 'Unmap')).toThrow('No button')
  })
})

it('names the owner of a volume that the host of the cell does not have', async () => {
  const { page } = await open('/mappings?host=host2')
  await press(page, 'Home')
  expect(cursor(page)).toBe('host2, lun01: not mapped; mapped to host1')
  expect(page.querySelector('[aria-label="Selected cell"]')?.textContent).toContain('mapped to host1')
})
