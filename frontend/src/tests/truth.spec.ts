/** What the page says when the appliance does not answer: never that there is nothing, and never that all is well. */
import { describe, expect, it, vi } from 'vitest'
import router from '@/app/router.ts?raw'
import { useConnection } from '@/server/connection'
import { control, settle, text, visit } from '../../mock/visit'
import { loggedIn, makeWorld } from '../../mock/world'
import type { World } from '../../mock/world'

const empties = () => [...document.querySelectorAll('[data-testid=empty]')].map(text)
const banner = () => document.querySelector('[role=alert]')
const header = () => document.querySelector('header [role=status]')?.textContent

/** An appliance on which nothing was made yet. */
function nothingYet(): World {
  const world = makeWorld()
  for (const value of Object.values(world)) if (Array.isArray(value)) value.length = 0
  return loggedIn(world)
}

/** Every page that is not part of another one. */
const paths = [...router.matchAll(/\bpage\(\s*'([^':]*)(?:\/:part[^']*)?'/g)].map(([, path]) => `/${path}`)

it('is asked of every page', () => {
  expect(paths).toContain('/reference')
  expect(paths.length).toBeGreaterThan(30)
})

describe.each(paths)('%s', (path) => {
  it('says nowhere that there is nothing where the answer was an error', async () => {
    const world = nothingYet()
    world.broken = 'The database is unavailable.'
    const { queryClient } = await visit(path, world)
    expect(empties()).toEqual([])
    delete world.broken
    await queryClient.invalidateQueries()
    await settle()
    world.broken = 'The database is unavailable.'
    await queryClient.invalidateQueries()
    await settle()
    expect(empties()).toEqual([])
  })
})

describe('without a connection', () => {
  it('says since when, takes the colour from what is old, and closes changes; then fetches all again', async () => {
    const world = loggedIn()
    const { page, requests } = await visit('/volumes', world)
    const create = control(page, 'Create volumes') as HTMLButtonElement
    expect([banner(), create.getAttribute('aria-disabled')]).toEqual([null, null])
    const connection = useConnection()
    connection.lose()
    await settle()
    expect(header()).toMatch(/^No connection since \d\d:\d\d$/)
    expect(banner()?.textContent).toContain('The values on this page are from that time')
    expect(page.querySelector('main')?.classList).toContain('grayscale')
    expect(control(page, 'Create volumes').getAttribute('aria-disabled')).toBe('true')
    expect((control(page, 'Delete lun01') as HTMLButtonElement).disabled).toBe(true)
    const asked = requests.length
    connection.heard()
    await settle()
    expect(banner()).toBeNull()
    expect(header()).not.toContain('No connection')
    expect(requests.slice(asked).map((one) => one.split('?')[0])).toContain('GET /volumes')
  })

  it('says nowhere that there is nothing, also where an answer said so before', async () => {
    await visit('/hosts', nothingYet())
    expect(empties().join()).toContain('No hosts yet')
    useConnection().lose()
    await settle()
    expect(empties()).toEqual([])
    expect(text(document.querySelector('main') as Element)).toContain(
      'Not known: the appliance does not answer',
    )
  })

  it('takes a request without an answer for a first sign', async () => {
    const { page, queryClient } = await visit('/arrays', nothingYet())
    expect(empties()).toHaveLength(1)
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    await queryClient.invalidateQueries()
    await settle()
    expect(empties()).toEqual([])
    expect(text(page)).toContain('Cannot reach the appliance')
  })
})
