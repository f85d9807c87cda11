/** Every name that people choose: one that violates its rule is marked at its field, and nothing is sent. */
import { expect, it } from 'vitest'
import { click, dialog, field, text, type, visit } from '../../mock/visit'
import { loggedIn } from '../../mock/world'

const REVIEW = 'Review the plan'
const RULE = 'Letters, digits, . _ -; up to 63; starts with a letter or digit.'

it.each([
  ['/hosts', 'Create host', 'Name'],
  ['/host-groups', 'Create host group', 'Name'],
  ['/portals', 'Create portal', 'Name'],
  ['/volumes', 'Edit lun01', 'Name'],
  ['/volumes/vm01', 'Take snapshot', 'Name'],
  ['/volumes/vm01', 'Clone before-upgrade', 'Name'],
  ['/deleted-volumes', 'Recover old-data', 'Name'],
  ['/deleted-snapshots', 'Recover before-update', 'Name'],
  ['/schedules', 'Create schedule', 'Name'],
  ['/tokens', 'Create token', 'Name'],
  ['/users', 'Create user', 'User name'],
])('on %s, "%s" marks a wrong name and sends nothing', async (path, button, label) => {
  const { page, requests } = await visit(path, loggedIn())
  await click(page, button)
  const name = field(dialog(), label)
  const before = requests.length
  for (const wrong of ['two words', '-dash', '']) {
    type(name, wrong)
    await click(dialog(), REVIEW)
    expect(name.getAttribute('aria-invalid'), wrong).toBe('true')
    expect(document.activeElement, wrong).toBe(name)
  }
  expect(text(dialog())).toContain(RULE)
  expect(requests.slice(before).filter((one) => !one.startsWith('GET'))).toEqual([])
})

it('a host name has its own rule', async () => {
  const { page, requests } = await visit('/settings', loggedIn())
  const name = field(page, 'Host name')
  for (const wrong of ['two words', 'San1', 'san1.example.com', '-san', 'a'.repeat(64)]) {
    type(name, wrong)
    await click(page, 'Review and save')
    expect(name.getAttribute('aria-invalid'), wrong).toBe('true')
  }
  expect(text(page)).toContain('Lowercase letters, digits and -, without a domain; up to 63.')
  type(name, 'san-1')
  await click(page, 'Review and save')
  expect(requests.filter((one) => one.startsWith('PATCH'))).toEqual(['PATCH /settings?dry_run=true'])
})

it.each([
  ['/settings', 'Review and save', 'Appliance name'],
  ['/start?step=appliance', REVIEW, 'Appliance name'],
])('on %s the appliance has such a name or none', async (path, button, label) => {
  const world = loggedIn()
  const { page, requests } = await visit(path, world)
  const name = field(page, label)
  type(name, 'two words')
  await click(page, button)
  expect(name.getAttribute('aria-invalid')).toBe('true')
  expect(document.querySelector('[role=dialog]')).toBeNull()
  expect(requests.filter((one) => one.startsWith('PATCH'))).toEqual([])
  type(name, 'rack4')
  await click(page, button)
  expect(requests.filter((one) => one.startsWith('PATCH'))).toEqual(['PATCH /settings?dry_run=true'])
})
