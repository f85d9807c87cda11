import { describe, expect, it } from 'vitest'
import { click, control, dialog, settle, text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const SECRET = 'moonlight-over-tank'

async function opened(role?: 'viewer') {
  const world = loggedIn()
  if (role && world.me) world.me.role = role
  const visited = await visit('/hosts', world)
  const [row] = visited.page.querySelectorAll<HTMLElement>('tbody button[aria-expanded]')
  row?.click()
  await settle()
  return visited
}

const secretsBox = () => dialog().querySelector<HTMLElement>('[role=checkbox]')

describe('the paths of a host', () => {
  it('say in words which one is missing, not by colour alone', async () => {
    const { page } = await opened()
    const section = [...page.querySelectorAll('section')].find((one) => text(one).startsWith('Paths of '))
    expect(section?.textContent).toContain(
      'expected 2 paths, seen 1: no connection to portal b (192.0.2.2:3260)',
    )
    expect([...(section?.querySelectorAll('li') ?? [])].map(text)).toEqual([
      'connected: logged in on portal a (192.0.2.1:3260)',
      'missing: no connection to portal b (192.0.2.2:3260)',
    ])
  })
})

describe('the trial of the paths', () => {
  it('says that none was made yet, and takes a path away only after its plan was shown', async () => {
    const { page, requests } = await opened()
    expect(page.textContent).toContain('has not been tried')
    await click(page, 'Try every path')
    await click(dialog(), 'Review the plan')
    expect(dialog().textContent).toContain('portal a is interrupted for 45 s')
    const asked = () => requests.filter((one) => one.includes(':verify-paths'))
    expect(asked().map((one) => one.split('?')[1])).toEqual(['dry_run=true'])
    await click(dialog(), 'Disconnect in turn')
    expect(asked().map((one) => one.split('?')[1])).toEqual(['dry_run=true', 'dry_run=false'])
  })

  it('is not offered to a viewer', async () => {
    const { page } = await opened('viewer')
    expect(control(page, 'Try every path').hasAttribute('disabled')).toBe(true)
  })
})

describe('the kit of a host', () => {
  it('is asked for without secrets, and shows files and commands to copy', async () => {
    const { page, requests } = await opened()
    expect(requests.filter((one) => one.includes('/kit'))).toEqual([])
    await click(page, 'Setup kit')
    expect(requests.filter((one) => one.includes('/kit'))).toHaveLength(1)
    expect(requests.some((one) => one.includes('secrets'))).toBe(false)
    expect(dialog().textContent).toContain('@LUNETTE-CHAP-SECRET@')
    expect(dialog().textContent).toContain('sh /etc/lunette-host/check.sh')
    expect(control(dialog(), 'Download').getAttribute('href')).toMatch(/\/kit\.tar$/)
  })

  it('shows secrets to who asks for them, and forgets them when it is closed', async () => {
    const { page, requests } = await opened()
    await click(page, 'Setup kit')
    secretsBox()?.click()
    await settle()
    expect(requests.at(-1)).toContain('/kit?secrets=true')
    expect(dialog().textContent).toContain(SECRET)
    expect(control(dialog(), 'Download').getAttribute('href')).toMatch(/\/kit\.tar\?secrets=true$/)
    await click(dialog(), 'Close')
    await click(page, 'Setup kit')
    expect(dialog().textContent).not.toContain(SECRET)
  })

  it('offers a viewer no secrets', async () => {
    const { page } = await opened('viewer')
    await click(page, 'Setup kit')
    expect(secretsBox()?.hasAttribute('disabled')).toBe(true)
  })
})
