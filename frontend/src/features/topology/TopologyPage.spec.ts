import { describe, expect, it } from 'vitest'
import { control, settle, text, visit } from '../../../mock/visit'
import { tank } from '../../../mock/storage'
import { loggedIn } from '../../../mock/world'

const lines = (page: Element, column: string) =>
  [...page.querySelectorAll(`ul[aria-label=${column}] > li > div > a:first-of-type`)].map(text)

describe('the topology', () => {
  it('draws every noun in its column and says that every way is whole', async () => {
    const { page } = await visit('/topology', loggedIn())
    expect(lines(page, 'Arrays')).toEqual(['Array tank, Resyncing'])
    expect(lines(page, 'Volumes')).toHaveLength(38)
    expect(lines(page, 'Hosts').slice(0, 4)).toEqual([
      'Host host1, Online',
      'Host host2, Online',
      'Host host3, Online',
      'Host host4, Online',
    ])
    expect(page.textContent).toContain('All paths are healthy. Mappings: 32, hosts logged in: 4.')
    expect(page.querySelectorAll('svg path[stroke-dasharray="6 4"]')).toHaveLength(1) // the legend's
  })

  it('shows the first broken link in red, in the words of the API, and what hangs on it', async () => {
    const world = loggedIn()
    world.sessions = world.sessions.filter(({ host }) => host !== 'host2')
    const { page, requests } = await visit('/topology', world)
    expect(requests).toContain('GET /volumes/lun09:why?host=host2')
    expect(page.textContent).toContain('The path is broken at the session: host2 is not logged in')
    expect(page.textContent).toContain('Affected host: host2.')
    expect(lines(page, 'Initiators').filter((one) => one.includes('path broken here'))).toHaveLength(1)
    expect(page.querySelectorAll('svg path[stroke-dasharray="6 4"]')).toHaveLength(2)
  })

  it('says how many of a fold are well, and that an array has lost redundancy', async () => {
    const world = loggedIn()
    const [disk] = world.disks
    const [array] = world.arrays
    if (!disk || !array) throw new Error('The mock has no array.')
    world.disks = Array.from({ length: 30 }, (_, slot) => ({ ...disk, id: `d${slot}`, array_id: array.id }))
    const members = tank(world.disks, 32).members
    if (members[2]) members[2].state = 'missing'
    world.arrays = [{ ...array, members, health: 'degraded' }]
    const { page } = await visit('/topology', world)
    expect(lines(page, 'Disks')).toEqual(['30 disks, 29 of 30 in sync'])
    expect(page.textContent).toContain('No path is broken, but array tank has reduced redundancy.')
    expect(page.textContent).not.toContain('All paths are healthy')
  })

  it('keeps what is chosen in the address, and leaves only what hangs on it', async () => {
    const { page, router } = await visit('/topology', loggedIn())
    control(page, 'Host host2, Online').click()
    await settle()
    expect(router.currentRoute.value.fullPath).toBe('/topology?focus=host/host2')
    expect(lines(page, 'Volumes')).toHaveLength(8)
    expect(lines(page, 'Disks')).toHaveLength(8)
    control(page, 'Show everything').click()
    await settle()
    expect(lines(page, 'Volumes')).toHaveLength(38)
  })

  it('tells the whole way of one volume', async () => {
    const { page } = await visit('/topology?focus=volume/lun03', loggedIn())
    expect(page.textContent).toContain('Host visibility')
    expect(control(page, 'Open lun03').getAttribute('href')).toBe('/volumes/lun03')
  })

  it('says that a name in an old link is gone, and shows everything', async () => {
    const { page } = await visit('/topology?focus=host/retired', loggedIn())
    expect(page.textContent).toContain('host/retired was not found')
    expect(lines(page, 'Volumes')).toHaveLength(38)
  })

  it('is one stop of the Tab key, and arrow keys move along the ways', async () => {
    const { page } = await visit('/topology?focus=host/host2', loggedIn())
    const stops = () => [...page.querySelectorAll<HTMLElement>('ul a[tabindex="0"]')]
    expect(text(stops()[0] as Element)).toBe('Host host2, Online')
    stops()[0]?.focus()
    const press = async (key: string) => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      await settle()
    }
    await press('ArrowLeft')
    expect(text(document.activeElement as Element)).toContain('Mapping LUN')
    await press('ArrowLeft')
    await press('ArrowLeft')
    expect(text(document.activeElement as Element)).toBe('Array tank, Resyncing')
    expect(stops()[0]).toBe(document.activeElement)
  })

  it('shows what the API refused and recovers when tried again', async () => {
    const world = loggedIn()
    world.broken = 'The agent does not answer.'
    const { page } = await visit('/topology', world)
    expect(page.querySelector('[role=alert]')?.textContent).toContain('The agent does not answer.')
    delete world.broken
    control(page, 'Try again').click()
    await settle()
    expect(lines(page, 'Arrays')).toHaveLength(1)
  })

  it.each([
    ['/arrays/tank', 'array/tank'],
    ['/volumes/lun01', 'volume/lun01'],
  ])('is reached from %s', async (path, focus) => {
    const { page } = await visit(path, loggedIn())
    const links = [...page.querySelectorAll<HTMLAnchorElement>('main a')].map((one) =>
      one.getAttribute('href'),
    )
    expect(links).toContain(`/topology?focus=${focus}`)
  })
})
