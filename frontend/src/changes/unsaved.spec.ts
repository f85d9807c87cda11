/** Typed values that were not sent: in a dialog, and on a page of their own. */
import { describe, expect, it } from 'vitest'
import { useSession } from '@/session/session'
import { click, dialog, field, settle, text, type, visit } from '../../mock/visit'
import { loggedIn } from '../../mock/world'
import type { World } from '../../mock/world'

it('asks before typed values are discarded, and continues with them', async () => {
  const world = loggedIn()
  const { page } = await visit('/hosts', world)
  await click(page, 'Create host')
  await click(dialog(), 'Close')
  expect(document.querySelector('[role=dialog]')).toBeNull()

  await click(page, 'Create host')
  type(field(dialog(), 'Name'), 'web1')
  await click(dialog(), 'Close')
  expect(text(dialog())).toContain('Discard your changes?')
  await click(dialog(), 'Keep editing')
  expect(field(dialog(), 'Name').value).toBe('web1')
  await click(dialog(), 'Close')
  await click(dialog(), 'Discard')
  expect(document.querySelector('[role=dialog]')).toBeNull()
})

describe('a page with unsaved work', () => {
  async function typed(world: World) {
    const opened = await visit('/volumes/new', world)
    type(field(opened.page, 'Name'), 'web1')
    await settle()
    return opened
  }

  it('is left only by who says so', async () => {
    const { router } = await typed(loggedIn())
    const first = router.push('/disks')
    await settle()
    await click(dialog(), 'Keep editing')
    await first
    expect(router.currentRoute.value.path).toBe('/volumes/new')
    const second = router.push('/disks')
    await settle()
    await click(dialog(), 'Discard')
    await second
    expect(router.currentRoute.value.path).toBe('/disks')
    await router.push('/volumes/new')
    await settle()
    expect(field(document.body, 'Name').value).toBe('')
  })

  it('is restored after a new login, and is never in the storage of the browser', async () => {
    const world = loggedIn()
    const { me } = world
    const { router, queryClient } = await typed(world)
    delete world.me
    await queryClient.invalidateQueries()
    await settle()
    expect(router.currentRoute.value.fullPath).toBe('/login?next=/volumes/new')
    expect(JSON.stringify({ ...sessionStorage, ...localStorage })).not.toContain('web1')
    world.me = me
    await useSession().load()
    await router.push('/volumes/new')
    await settle()
    expect(field(document.body, 'Name').value).toBe('web1')
  })
})
