/** What each page must show of the data behind the API, and how it stays current. */
import { describe, expect, it } from 'vitest'
import { UNSEEN } from '../../mock/alerts'
import { volumesJob } from '../../mock/journal'
import { tank, volume } from '../../mock/storage'
import { FakeEventSource, click, control, dialog, rows, settle, text, visit } from '../../mock/visit'
import { loggedIn } from '../../mock/world'

const GATHERED_MS = 300
const count = (page: Element, noun: string) => {
  const tile = page.querySelector(`[data-testid=count-${noun}]`)
  return tile && text(tile)
}

describe('overview', () => {
  it('tells the health in one sentence and counts every noun', async () => {
    const { page } = await visit('/', loggedIn())
    expect(page.querySelector('[role=status]')?.textContent).toContain('All is well')
    const counts = ['disks', 'arrays', 'volumes', 'hosts', 'sessions'].map((noun) => count(page, noun))
    expect(counts).toEqual(['Disks12', 'Arrays1', 'Volumes38', 'Hosts6', 'Sessions4'])
  })

  it('shows a dash, not zero, while nobody knows how many disks there are', async () => {
    const world = loggedIn()
    world.status = { ...world.status, counts: { ...world.status.counts, disks: null } }
    const { page } = await visit('/', world)
    expect(count(page, 'disks')).toBe('Disks—')
  })

  it('puts what a person must look at first, with cause and remedy', async () => {
    const world = loggedIn()
    world.alerts = [
      {
        id: 'alert-1',
        key: 'array.health:tank',
        family: 'array',
        severity: 'critical',
        message: 'Array tank is degraded',
        cause: 'One of 8 disks does not answer.',
        fix: 'Replace the disk.',
        raised_at: '2026-11-21T03:00:00Z',
        resolved_at: null,
        ...UNSEEN,
      },
    ]
    const { page } = await visit('/', world)
    const first = page.querySelector('main section')
    expect(first?.textContent).toContain('Array tank is degraded')
    expect(first?.textContent).toContain('Replace the disk.')
  })

  it('counts what waits in the header, the navigation and the title, and shows the gravest three', async () => {
    const world = loggedIn()
    world.status.counts = {
      ...world.status.counts,
      critical_alerts: 1,
      warning_alerts: 4,
      unacknowledged_alerts: 5,
    }
    world.alerts = ['warning', 'warning', 'critical', 'warning', 'warning'].map((severity, index) => ({
      id: `alert-${index}`,
      key: `array.warm:${index}`,
      family: 'array',
      severity: severity as 'warning' | 'critical',
      message: `Alert number ${index}`,
      cause: '',
      fix: '',
      raised_at: `2026-11-21T03:00:0${index}Z`,
      resolved_at: null,
      ...UNSEEN,
    }))
    const { page } = await visit('/', world)
    expect(text(control(page, '1 critical, 4 warnings'))).toBe('1 critical, 4 warnings')
    expect(page.querySelector('nav')?.textContent).toMatch(/Alerts\s*5/)
    expect(document.title).toBe('(5) Overview · Lunette')
    const shown = [...(page.querySelector('main section')?.querySelectorAll('li') ?? [])].map(
      (one) => /number \d/.exec(one.textContent)?.[0],
    )
    expect(shown).toEqual(['number 2', 'number 4', 'number 3'])
    expect(text(control(page, '2 more alerts'))).toBe('2 more alerts')
  })

  it('follows a running job', async () => {
    const world = loggedIn()
    world.jobs = [
      volumesJob({ state: 'running', progress_percent: 25, steps_done: 1, message: 'lun09 to lun16' }),
    ]
    const { page } = await visit('/', world)
    expect(page.textContent).toContain('lun09 to lun16')
    expect(page.textContent).toContain('1 of 4 steps')
  })
})

describe('disks', () => {
  it('name the drive, its kind and why it is not free', async () => {
    const { page } = await visit('/disks', loggedIn())
    expect(rows(page)[0]).toEqual([
      'SAMSUNG MZQL23T8HCLS-00A07',
      'S64HNE0T501118',
      'NVMe SSD',
      '3.49 TiB',
      'In an array',
      'Good',
      '4 %',
      '36 °C',
      'tank · slot 0',
    ])
    expect(rows(page).at(-1)?.slice(2)).toEqual([
      'SAS HDD',
      '10.9 TiB',
      'Occupied',
      'Good',
      '—',
      '36 °C',
      'it carries an ext4 signature (label backup)',
    ])
  })

  it('are filtered by the server', async () => {
    const { page, requests } = await visit('/disks', loggedIn())
    control(page, 'Free').click()
    await settle()
    expect(requests.at(-1)).toBe('GET /disks?limit=50&sort=id&state=free')
    expect(rows(page)).toHaveLength(3)
  })

  it('show their sizes in decimal when this person prefers it', async () => {
    localStorage.setItem('lunette-sizes', 'decimal')
    const { page } = await visit('/disks', loggedIn())
    expect(rows(page)[0]?.[3]).toBe('3.84 TB')
  })
})

describe('arrays', () => {
  it('show how full they are and what the kernel is doing', async () => {
    const { page } = await visit('/arrays', loggedIn())
    const text = page.querySelector('article')?.textContent
    for (const words of ['tank', 'RAID 5', 'Resyncing', '65 %', '32 volumes', '8 of 8 disks in sync'])
      expect(text).toContain(words)
    expect(text).toContain('41.7 % · 1.33 GiB/s · 24 min 20 s left')
    expect(control(page, '32 volumes').getAttribute('href')).toBe('/volumes?array=tank')
  })

  it('name the disk that is missing', async () => {
    const world = loggedIn()
    const array = tank(world.disks.slice(0, 8), 32)
    const members = array.members.map((member, slot) =>
      slot === 2 ? { ...member, state: 'missing' } : member,
    )
    world.arrays = [{ ...array, health: 'degraded', members, observed: null }]
    const { page } = await visit('/arrays', world)
    expect(page.textContent).toContain('Degraded')
    expect(page.textContent).toContain('7 of 8 disks in sync')
    const missing = [...page.querySelectorAll('article li')].filter((slot) => text(slot).includes('Missing'))
    expect(missing.map(text)).toEqual(['S64HNE0T503118MissingSlot 2'])
  })

  it('do not claim to be empty while the room left is unknown', async () => {
    const world = loggedIn()
    world.arrays = [{ ...tank(world.disks.slice(0, 8), 32), used_bytes: null, free_bytes: null }]
    const { page } = await visit('/arrays', world)
    expect(page.textContent).toContain('— used of 24.5 TiB')
  })
})

describe('sessions', () => {
  it('show who is logged in from where', async () => {
    const { page } = await visit('/sessions', loggedIn())
    expect(rows(page)[1]?.slice(0, 5)).toEqual([
      'host2',
      'iqn.2004-10.io.example:host2',
      'iSCSI',
      '10.20.0.12',
      '10.20.0.2:3260',
    ])
  })
})

describe('jobs', () => {
  it('open to their steps and the reason of a failure', async () => {
    const { page } = await visit('/jobs', loggedIn())
    const openers = [...page.querySelectorAll<HTMLElement>('button[aria-label="Show details"]')]
    openers.at(-1)?.click()
    await settle()
    expect(page.textContent).toContain('mdadm could not write to disk')
    expect(page.textContent).toContain('create md raid5 of 3 disks')
  })

  it('that are stuck are tried again or given up', async () => {
    const world = loggedIn()
    const stuck = world.jobs.find(({ state }) => state === 'undone')
    if (!stuck) throw new Error('The mock has no job that was rolled back.')
    stuck.state = 'stuck'
    const { page } = await visit('/jobs?show=trouble', world)
    await click(page, 'Show details')
    await click(page, 'Leave as is')
    expect(text(dialog())).toContain('is abandoned; the machine stays as it is')
    await click(dialog(), 'Leave as is')
    expect(stuck.state).toBe('failed')
  })

  it('are filtered by how they ended', async () => {
    const { page, requests } = await visit('/jobs?show=trouble', loggedIn())
    expect(requests).toContain('GET /jobs?limit=50&sort=-created_at&state=failed&state=undone&state=stuck')
    expect(rows(page)).toHaveLength(1)
  })
})

describe('every page', () => {
  it('fetches again when an event says so', async () => {
    const world = loggedIn()
    const { page } = await visit('/volumes', world)
    world.volumes = [...world.volumes, volume(39)]
    FakeEventSource.last?.tell(JSON.stringify({ seq: 10, noun: 'volume', kind: 'volume.created' }))
    await new Promise((resolve) => setTimeout(resolve, GATHERED_MS))
    await settle()
    expect(rows(page)).toHaveLength(39)
  })

  it.each(['/disks', '/arrays', '/volumes', '/sessions', '/jobs'])(
    '%s shows what the API refused and recovers when tried again',
    async (path) => {
      const world = loggedIn()
      world.broken = 'The agent does not answer.'
      const { page } = await visit(path, world)
      expect(page.querySelector('[role=alert]')?.textContent).toContain('The agent does not answer.')
      delete world.broken
      control(page, 'Try again').click()
      await settle()
      expect(page.querySelector('[role=alert]')).toBeNull()
    },
  )

  it('proves to the API that a change comes from this page', async () => {
    const { page, router, requests } = await visit('/', loggedIn())
    control(page, 'Account: admin').dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }),
    )
    await settle()
    const item = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')].find((entry) =>
      entry.textContent?.includes('Log out'),
    )
    item?.click()
    await settle()
    expect(requests).toContain('POST /logout')
    expect(router.currentRoute.value.name).toBe('login')
  })
})
