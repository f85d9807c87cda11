/** Portals, and the RDMA devices and Fibre Channel ports beside them. */
import { describe, expect, it, vi } from 'vitest'
import { click, control, dialog, field, settle, text, type, visit } from '../../../mock/visit'
import { portal, softRoce } from '../../../mock/portals'
import { exportEngines, spdkEngine } from '../../../mock/engines'
import { fcPort, nvmePort } from '../../../mock/fc'
import { loggedIn } from '../../../mock/world'

const option = (name: string) => [...dialog().querySelectorAll('option')].find((one) => text(one) === name)

function choose(label: string, value: string) {
  const found = [...dialog().querySelectorAll('label')].find((one) => text(one) === label)
  const select = dialog().querySelector<HTMLSelectElement>(`#${CSS.escape(found?.htmlFor ?? '')}`)
  if (!select) throw new Error(`no select ${label}`)
  select.value = value
  select.dispatchEvent(new Event('change', { bubbles: true }))
}

describe('portals', () => {
  it('are made on an address the appliance has', async () => {
    const world = loggedIn()
    const { page } = await visit('/portals', world)
    await click(page, 'Create portal')
    const choices = [...dialog().querySelectorAll('option')].map(text)
    expect(choices).toEqual(expect.arrayContaining(['iSCSI', '10.20.0.2']))
    expect(choices.at(-1)).toBe('All addresses (0.0.0.0)')
    type(field(dialog(), 'Name'), 'front')
    type(field(dialog(), 'Port'), '3270')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Create portal')
    expect(world.portals.at(-1)).toMatchObject({ name: 'front', address: '10.20.0.2', port: 3270 })
  })

  it.each([
    { addresses: ['127.0.0.1', '10.20.0.2', '10.20.1.2'], taken: [], chosen: '10.20.1.2' },
    { addresses: ['127.0.0.1', '10.20.0.2', '10.20.1.2'], taken: ['10.20.1.2'], chosen: '10.20.0.2' },
    { addresses: ['127.0.0.1'], taken: [], chosen: '127.0.0.1' },
    { addresses: [], taken: [], chosen: '0.0.0.0' },
  ])(
    'of $addresses, with portals on $taken, $chosen is proposed, and a name',
    async ({ addresses, taken, chosen }) => {
      const world = loggedIn()
      world.status = { ...world.status, addresses }
      world.portals = taken.map((address) => portal('storage', { address }))
      const { page } = await visit('/portals', world)
      await click(page, 'Create portal')
      await click(dialog(), 'Review the plan')
      await click(dialog(), 'Create portal')
      const name = taken.length ? 'storage2' : 'storage'
      expect(world.portals.at(-1)).toMatchObject({ name, address: chosen, port: 3260 })
    },
  )

  it('says the rule of names beside the field, and sends no name that breaks it', async () => {
    const { page, requests } = await visit('/portals', loggedIn())
    await click(page, 'Create portal')
    for (const name of ['two words', '']) {
      type(field(dialog(), 'Name'), name)
      await click(dialog(), 'Review the plan')
      expect(field(dialog(), 'Name').getAttribute('aria-invalid')).toBe('true')
      expect(document.activeElement).toBe(field(dialog(), 'Name'))
    }
    expect(text(dialog())).toContain('Letters, digits, . _ -; up to 63; starts with a letter or digit.')
    expect(requests.filter((one) => one.startsWith('POST'))).toEqual([])
  })

  it('are moved and renamed in place, and say where they still listen', async () => {
    const world = loggedIn()
    const { page } = await visit('/portals', world)
    await click(page, 'Edit storage-a')
    expect(() => field(dialog(), 'Protocol')).toThrow('No field')
    type(field(dialog(), 'Name'), 'front')
    type(field(dialog(), 'Port'), '3270')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('becomes front; hosts do not notice it')
    expect(text(dialog())).toContain('10.20.0.2:3270 opens, then 10.20.0.2:3260 is closed')
    await click(dialog(), 'Save changes')
    await settle()
    expect(world.portals[0]).toMatchObject({ name: 'front', address: '10.20.0.2', port: 3270 })
    expect(text(page)).toContain('10.20.0.2:3270and still on 10.20.0.2:3260')
  })

  it('sends nothing of a portal that was not changed', async () => {
    const { page, requests } = await visit('/portals', loggedIn())
    await click(page, 'Edit storage-a')
    await click(dialog(), 'Review the plan')
    expect(requests.filter((one) => one.startsWith('PATCH'))).toHaveLength(1)
    expect((control(dialog(), 'Save changes') as HTMLButtonElement).disabled).toBe(true)
  })

  it('offer no RDMA where there is none, and say why', async () => {
    const { page } = await visit('/portals', loggedIn())
    await click(page, 'Create portal')
    expect(option('iSER')?.disabled).toBe(true)
    expect(option('iSCSI')?.disabled).toBe(false)
    expect(text(dialog())).toContain('iSER, NVMe/RDMA not available: no RDMA device found')
  })

  it('over RDMA are made on an address of an RDMA device', async () => {
    const world = loggedIn()
    world.engines = exportEngines(true)
    world.rdmaDevices = [softRoce('10.30.0.2')]
    const { page } = await visit('/portals', world)
    expect(text(page)).toContain('rxe0/1activeeth1 · 10.30.0.2 (RoCE v2) · MTU 1500')
    await click(page, 'Create portal')
    expect(option('10.20.0.2')).toBeDefined()
    choose('Protocol', 'iser')
    await settle()
    expect(option('10.20.0.2')).toBeUndefined()
    expect(option('10.30.0.2 (rxe0/1)')).toBeDefined()
    choose('Address', '10.30.0.2')
    type(field(dialog(), 'Name'), 'fast')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Create portal')
    expect(world.portals.at(-1)).toMatchObject({ protocol: 'iser', address: '10.30.0.2', port: 3261 })
  })

  it('over NVMe/FC are made on a port of an HBA, which has no number', async () => {
    const world = loggedIn()
    world.engines = exportEngines(false, true)
    const { page } = await visit('/portals', world)
    await click(page, 'Create portal')
    choose('Protocol', 'nvme-fc')
    await settle()
    const address = 'nn-0x20000090fa000001:pn-0x10000090fa000001'
    type(field(dialog(), 'Port names'), address)
    type(field(dialog(), 'Name'), 'fabric-a')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Create portal')
    expect(world.portals.at(-1)).toMatchObject({ protocol: 'nvme-fc', address, port: null })
    expect(text(page)).toContain(address)
    expect(text(page)).not.toContain(`[${address}]`)
  })

  it('over NVMe/FC are offered the ports that can be NVMe targets, and take others by their names', async () => {
    const world = loggedIn()
    world.engines = exportEngines(false, true)
    world.fcPorts = [fcPort('21:00:00:24:ff:00:00:01'), nvmePort('10:00:00:90:fa:00:00:01')]
    const { page } = await visit('/portals', world)
    await click(page, 'Create portal')
    choose('Protocol', 'nvme-fc')
    await settle()
    expect([...dialog().querySelectorAll('option')].map(text).slice(-2)).toEqual([
      '10:00:00:90:fa:00:00:01 · LPe35002 · online',
      'Another port, by name',
    ])
    expect(text(dialog())).not.toContain('21:00:00:24:ff:00:00:01')
    expect(() => field(dialog(), 'Port names')).toThrow('No field')
    type(field(dialog(), 'Name'), 'fabric-a')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Create portal')
    const found = 'nn-0x20000024ff000001:pn-0x10000090fa000001'
    expect(world.portals.at(-1)).toMatchObject({ protocol: 'nvme-fc', address: found })

    await click(page, 'Create portal')
    choose('Protocol', 'nvme-fc')
    await settle()
    choose('HBA port', '')
    await settle()
    const other = 'nn-0x20000090fa000009:pn-0x10000090fa000009'
    type(field(dialog(), 'Port names'), other)
    type(field(dialog(), 'Name'), 'fabric-b')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Create portal')
    expect(world.portals.at(-1)).toMatchObject({ name: 'fabric-b', address: other })
  })

  it('over NVMe/TCP can be served by SPDK, on one address, where it is installed', async () => {
    const world = loggedIn()
    world.engines = [...exportEngines(false), spdkEngine]
    const { page } = await visit('/portals', world)
    await click(page, 'Create portal')
    expect(option('SPDK')).toBeUndefined()
    choose('Protocol', 'nvme-tcp')
    await settle()
    choose('Engine', 'spdk')
    await settle()
    expect(option('All addresses (0.0.0.0)')).toBeUndefined()
    type(field(dialog(), 'Name'), 'fast')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Create portal')
    expect(world.portals.at(-1)).toMatchObject({ protocol: 'nvme-tcp', engine: 'spdk', address: '10.20.0.2' })
  })

  it('show Fibre Channel ports with who is there, and make one a target and let it go', async () => {
    const world = loggedIn()
    const wwpn = '21:00:00:24:ff:00:00:01'
    world.fcPorts = [fcPort(wwpn)]
    const { page } = await visit('/portals', world)
    expect(text(page)).toContain('Not managed')
    expect(text(page)).toContain('QLE2692 · online · 16 Gbit · fabric')
    expect(text(page)).toContain('10:00:00:00:c9:00:00:01unknown host')
    await click(page, `Change mode of ${wwpn}`)
    expect(option('Not managed')).toBeUndefined()
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('becomes target')
    await click(dialog(), 'Change mode')
    expect(world.fcPorts[0]).toMatchObject({ mode: 'target', state: 'open' })
    await click(page, `Change mode of ${wwpn}`)
    choose('Mode', 'none')
    await click(dialog(), 'Review the plan')
    await click(dialog(), 'Change mode')
    expect(world.fcPorts[0]).toMatchObject({ id: null, mode: null })
  })

  it('lead from a Fibre Channel port to a host: mode, WWPNs to zone, and who was seen', async () => {
    const world = loggedIn()
    const wwpns = ['21:00:00:24:ff:00:00:01', '21:00:00:24:ff:00:00:02'] as const
    world.fcPorts = wwpns.map(fcPort)
    const write = vi.spyOn(navigator.clipboard, 'write').mockResolvedValue()
    const { page } = await visit('/portals', world)
    expect(text(page)).toContain('Make a port a target')
    expect(() => control(page, 'Copy WWPNs of the target ports')).toThrow('No button')
    for (const wwpn of wwpns) {
      await click(page, `Change mode of ${wwpn}`)
      await click(dialog(), 'Review the plan')
      await click(dialog(), 'Change mode')
    }
    await click(page, 'Copy WWPNs of the target ports')
    const copied = await write.mock.calls[0]?.[0][0]?.getType('text/plain')
    expect(await copied?.text()).toBe(wwpns.join('\n'))

    const seen = '10:00:00:00:c9:00:00:01'
    await click(page, `Create host with ${seen}`)
    expect(text(dialog())).toContain('host-c9000001')
    await click(dialog(), 'Create host')
    expect(world.hosts.at(-1)).toMatchObject({ name: 'host-c9000001', wwpns: [seen] })
  })
})
