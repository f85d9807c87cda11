/** Network interfaces: their observation, a change on trial, and the end of a trial. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { takeBack } from '../../../mock/interfaces'
import { click, control, dialog, field, rows, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import type { World } from '../../../mock/world'
import { pageAt } from './interfaceState'

const FOLLOWED_MS = 1_100
const TRIAL_EVERY_MS = 2_100

const one = (world: World, name: string) => {
  const found = world.interfaces.find((row) => row.name === name)
  if (!found) throw new Error(`The mock has no interface ${name}.`)
  return found
}

const lines = (label: string): HTMLTextAreaElement => {
  const found = [...dialog().querySelectorAll('label')].find((each) => text(each) === label)
  const area = dialog().querySelector<HTMLTextAreaElement>(`#${CSS.escape(found?.htmlFor ?? '')}`)
  if (!area) throw new Error(`no field ${label}`)
  return area
}

function write(area: HTMLTextAreaElement, value: string): void {
  area.value = value
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

const tick = (label: string) => {
  const found = [...dialog().querySelectorAll('label')].find((each) => text(each) === label)
  document.getElementById(found?.htmlFor ?? '')?.click()
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await settle()
}

/** A change of enp66s0 whose job has run. */
async function onTrial(world: World) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  const { page, requests } = await visit('/interfaces', world)
  await click(page, 'Edit enp66s0')
  write(lines('Addresses'), '10.20.2.2/24')
  write(lines('Time servers (NTP)'), '192.0.2.123\ntime.example.com')
  type(field(dialog(), 'MTU'), '9000')
  await click(dialog(), 'Review the plan')
  expect(text(dialog())).toContain('reverted automatically unless it is confirmed')
  await click(dialog(), 'Apply for 60 seconds')
  for (let round = 0; round < 3; round += 1) await pass(FOLLOWED_MS)
  return { page, requests }
}

afterEach(() => vi.useRealTimers())

describe('interfaces', () => {
  it('show link, addresses with their portals, role, MTU and who configures them', async () => {
    const { page } = await visit('/interfaces', loggedIn())
    expect(rows(page).map((row) => row.slice(1, 7))).toEqual([
      ['eno1Physical', '1 Gbit/s', '10.20.0.2/24DHCP', '—', '1500', 'As installed'],
      ['enp65s0Physical', '25 Gbit/s', '10.20.1.2/24portal storage-b', 'Storage', '9000', 'By Lunette'],
      ['enp65s0.7VLAN 7 of enp65s0', '25 Gbit/s', '—', 'Storage', '9000', 'By Lunette'],
      ['enp66s0Physical', 'No link', '—', '—', '1500', 'Not configured'],
      [
        'vmbr0Bridge',
        '25 Gbit/s',
        '10.99.0.1/24',
        '—',
        '1500',
        "Not managedit is configured by /etc/systemd/network/20-bridge.network, which is not Lunette's",
      ],
    ])
  })

  it('show what the firewall lets in, and where this page does not answer', async () => {
    const { page } = await visit('/interfaces', loggedIn())
    const shown = page.querySelector('[aria-label=Firewall]')?.textContent?.replace(/\s+/g, ' ')
    expect(shown).toContain('Firewall active')
    expect(shown).toContain('every interface except enp65s0, enp65s0.7')
    expect(shown).toContain('TCP 3260 on 10.20.1.2 portal storage-b')
  })

  it('of others cannot be changed, and say why', async () => {
    const { page } = await visit('/interfaces', loggedIn())
    const button = control(page, 'Edit vmbr0') as HTMLButtonElement
    expect([button.disabled, button.title]).toEqual([true, expect.stringContaining('Not managed by Lunette')])
  })

  it('are changed by administrators only', async () => {
    const world = loggedIn()
    if (world.me) world.me = { ...world.me, role: 'operator' }
    const { page } = await visit('/interfaces', world)
    expect((control(page, 'Edit eno1') as HTMLButtonElement).disabled).toBe(true)
  })

  it('take the address of a portal only where that portal is named', async () => {
    const { page } = await visit('/interfaces', loggedIn())
    await click(page, 'Edit enp65s0')
    expect(text(dialog())).not.toContain('lose their address')
    write(lines('Addresses'), '10.20.1.9/24')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('specify the portal')
    tick('storage-b may lose 10.20.1.2')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('loses its address')
  })

  it('are on trial for a minute, and kept by one click', async () => {
    const world = loggedIn()
    const { page, requests } = await onTrial(world)
    expect(document.querySelector('[role=dialog]')).toBeNull()
    expect(text(page)).toContain('A change to enp66s0 is on trial')
    const timer = () => Number.parseInt(page.querySelector('[role=timer]')?.textContent ?? '', 10)
    const first = timer()
    expect(first).toBeGreaterThan(50)
    one(world, 'enp66s0').trial_left_s = 50
    await pass(TRIAL_EVERY_MS)
    expect(timer()).toBeLessThan(first)
    expect((control(page, 'Edit eno1') as HTMLButtonElement).title).toContain(
      'enp66s0 must first be confirmed',
    )
    expect(control(page, '10.20.2.2').getAttribute('href')).toContain('//10.20.2.2')
    await click(page, 'Confirm')
    expect(requests).toContain('POST /interfaces/enp66s0:confirm?dry_run=false')
    expect(one(world, 'enp66s0').wanted).toMatchObject({
      addresses: ['10.20.2.2/24'],
      ntp: ['192.0.2.123', 'time.example.com'],
      mtu_bytes: 9000,
    })
    expect(text(page)).toContain('The change to enp66s0 was confirmed.')
  })

  it('are taken back at once where a person says so', async () => {
    const world = loggedIn()
    const { page } = await onTrial(world)
    await click(page, 'Revert')
    expect(one(world, 'enp66s0').wanted).toBeNull()
    expect(text(page)).toContain('The change to enp66s0 was reverted.')
  })

  it('say so when the time was over', async () => {
    const world = loggedIn()
    const { page } = await onTrial(world)
    takeBack(one(world, 'enp66s0'))
    await pass(TRIAL_EVERY_MS)
    expect(text(page)).toContain('The change to enp66s0 was reverted.')
    expect(page.querySelector('[role=timer]')).toBeNull()
  })
})

it('the page is found over the new way, whatever the family of its address', () => {
  const here = { protocol: 'https:', port: '' }
  expect(pageAt('192.0.2.10', here)).toBe('https://192.0.2.10/interfaces')
  expect(pageAt('2001:db8::5', { ...here, port: '8443' })).toBe('https://[2001:db8::5]:8443/interfaces')
})

describe('VLANs and bonds', () => {
  const option = (name: string) =>
    [...dialog().querySelectorAll('option')].some((each) => text(each) === name)
  const choose = async (label: string, value: string) => {
    const found = [...dialog().querySelectorAll('label')].find((each) => text(each) === label)
    const select = dialog().querySelector<HTMLSelectElement>(`#${CSS.escape(found?.htmlFor ?? '')}`)
    if (!select) throw new Error(`no select ${label}`)
    select.value = value
    select.dispatchEvent(new Event('change', { bubbles: true }))
    await settle()
  }

  it('are made of what others leave, under the usual name', async () => {
    const world = loggedIn()
    const { page } = await visit('/interfaces', world)
    await click(page, 'Create VLAN or bond')
    const offered = [...dialog().querySelectorAll('option')].map(text)
    expect(offered).not.toContain('vmbr0')
    await choose('Parent interface', 'enp65s0')
    type(field(dialog(), 'VLAN ID'), '100')
    await settle()
    expect(field(dialog(), 'Name').placeholder).toBe('enp65s0.100')
    await click(dialog(), 'Review the plan')
    expect(text(dialog())).toContain('VLAN 100 of enp65s0')
  })

  it('are made as a bond of those that are ticked', async () => {
    const world = loggedIn()
    const { page } = await visit('/interfaces', world)
    await click(page, 'Create VLAN or bond')
    await click(dialog(), 'Bond')
    tick('enp66s0')
    await choose('Mode', '802.3ad')
    await choose('LACP rate', 'fast')
    await click(dialog(), 'Review the plan')
    expect(option('LACP (802.3ad)')).toBe(true)
    expect(text(dialog())).toContain('bond of enp66s0 (802.3ad, fast)')
    expect(text(dialog())).toContain('bond0')
  })

  it('that Lunette made can be removed, and nothing else', async () => {
    const world = loggedIn()
    const { page } = await visit('/interfaces', world)
    for (const opener of page.querySelectorAll<HTMLElement>('button[aria-label="Show details"]'))
      opener.click()
    await settle()
    expect(text(page)).toContain('VLAN 7 of enp65s0')
    expect(
      [...page.querySelectorAll('button')].map(text).filter((each) => each.startsWith('Remove')),
    ).toEqual(['Remove enp65s0.7'])
    await click(page, 'Remove enp65s0.7')
    expect(text(dialog())).toContain('remove interface enp65s0.7')
  })
})
