import { describe, expect, it, vi } from 'vitest'
import { safeNext } from '@/session/nextPath'
import { loggedIn, makeWorld } from '../../mock/world'
import type { World } from '../../mock/world'
import { click, resize, settle, visit } from '../../mock/visit'
import navigation from './AppNavigation.vue?raw'

it('sends a stranger to the login and remembers where they wanted to go', async () => {
  const { router } = await visit('/volumes?q=lun0', makeWorld())
  expect(router.currentRoute.value.fullPath).toBe('/login?next=/volumes?q=lun0')
})

it('keeps a person with a one-time password at the login', async () => {
  const world = loggedIn()
  if (world.me) world.me = { ...world.me, password_change_required: true }
  const { router, page } = await visit('/disks', world)
  expect(router.currentRoute.value.name).toBe('login')
  expect(page.textContent).toContain('Set your password')
})

it('sends a person who is logged in on from the login page', async () => {
  const { router } = await visit('/login?next=/disks', loggedIn())
  expect(router.currentRoute.value.fullPath).toBe('/disks')
})

it.each([['https://evil.example'], ['//evil.example'], ['/\\evil.example'], [undefined], [['/a', '/b']]])(
  'takes %s as no place to go on to',
  (next) => expect(safeNext(next)).toBe('/'),
)

it('goes back to the login when the session has ended on the server', async () => {
  const world = loggedIn()
  const { router, queryClient, page } = await visit('/disks', world)
  delete world.me
  await queryClient.invalidateQueries()
  await settle()
  expect(router.currentRoute.value.fullPath).toBe('/login?next=/disks')
  expect(page.textContent).not.toContain('SAMSUNG')
})

it('says so when the API does not answer at all', async () => {
  const world = loggedIn()
  Object.defineProperty(world, 'me', {
    get: () => {
      throw new TypeError('fetch failed')
    },
  })
  const { page } = await visit('/', world)
  expect(page.textContent).toContain('Cannot reach the appliance')
})

it('shows a page of its own for an address that does not exist', async () => {
  const { page } = await visit('/nowhere', loggedIn())
  expect(page.textContent).toContain('Page not found')
})

it('has the whole navigation as icons with their names where there is no room for words', async () => {
  resize(1024, 768)
  const { page } = await visit('/', loggedIn())
  const links = [...page.querySelectorAll<HTMLElement>('aside nav a')]
  expect(links).toHaveLength(21)
  expect(links.map((link) => link.title)).toEqual(
    links.map((link) => link.querySelector('.sr-only')?.textContent),
  )
})

it('marks where a page is in the navigation, below its entry too', async () => {
  const { page, router } = await visit('/settings/power', loggedIn())
  const marked = () => page.querySelector('nav [aria-current=page]')?.textContent.trim()
  expect(marked()).toBe('Settings')
  await router.push('/disks')
  await settle()
  expect(marked()).toBe('Disks')
  const names = router.getRoutes().map(({ name }) => String(name))
  const nowhere = ['undefined', 'login', 'unreachable', 'missing', 'users', 'tokens']
  const isPlaced = (name: string) =>
    navigation.includes(`{ name: '${name}'`) || new RegExp(`\\b${name}: `).test(navigation)
  expect(names.filter((name) => !nowhere.includes(name) && !isPlaced(name))).toEqual([])
})

describe('a page whose file cannot be loaded', () => {
  async function miss(change: (world: World) => void) {
    const world = loggedIn()
    const { router, page } = await visit('/disks', world)
    router.addRoute({
      path: '/gone',
      component: () =>
        Promise.reject(new TypeError('Failed to fetch dynamically imported module: /assets/x.js')),
    })
    change(world)
    await router.push('/gone').catch(() => undefined)
    await settle()
    expect(router.currentRoute.value.path).toBe('/disks')
    const notice = [...page.querySelectorAll('[role=alert]')].find((one) => one.matches('.fixed'))
    if (!notice) throw new Error('Nothing says that the page could not be loaded.')
    return { page, notice }
  }

  it('offers to load the page again', async () => {
    const { notice } = await miss(() => undefined)
    expect(notice.textContent).toContain('This page could not be loaded')
    const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined)
    await click(notice, 'Reload')
    expect(assign).toHaveBeenCalledExactlyOnceWith('/gone')
  })

  it('says that the appliance was updated where that is why', async () => {
    const { notice } = await miss((world) => {
      world.status = { ...world.status, version: '9.0.0' }
    })
    expect(notice.textContent).toContain('The appliance was updated')
  })

  it('stays and tries again where the appliance does not answer', async () => {
    const { page, notice } = await miss(() =>
      vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch'))),
    )
    expect(notice.textContent).toContain('The appliance does not answer')
    await click(notice, 'Try again')
    expect(page.textContent).toContain('This page could not be loaded')
  })
})
