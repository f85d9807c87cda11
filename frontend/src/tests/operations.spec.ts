/** Everything the API can do, the page can do: each operation is called by the page, or is listed here with the reason. */
import { expect, it } from 'vitest'
import { settle, visit } from '../../mock/visit'
import { loggedIn } from '../../mock/world'
import { NOUNS } from '@/features/events/eventFilter'
import text from '../../../backend/openapi.json?raw'

const files = Object.values(
  import.meta.glob<string>(['../**/*.{vue,ts}', '!../api/**', '!../**/*.spec.ts'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
)
const sources = files.join('\n')

/** Operations without a call of the generated client, with the reason or the place of the call. */
const OTHERWISE: Record<string, string> = {
  health_show: 'for load balancers and monitoring: status_show says more',
  alert_show: 'the list of alerts holds all of each',
  interface_show: 'the list of interfaces holds all of each',
  host_kit_download: 'a link: the browser itself keeps the file',
  event_stream: 'an EventSource, in live.ts',
  update_upload: 'with the progress of the upload, in bundleUpload.ts',
}
/** Operations without a call of the client must be in the sources by their address. */
const ADDRESSES: Record<string, string> = {
  host_kit_download: 'kit.tar',
  event_stream: '/events/stream',
  update_upload: '/updates/bundle',
}

interface Operation {
  operationId: string
  parameters?: { in: string; name: string }[]
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> }
}
interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { properties?: Record<string, unknown> }> }
}
const api = JSON.parse(text) as ApiDocument
const operations = Object.values(api.paths).flatMap((path) => Object.values(path))

function isCalled(operation: string, source: string): boolean {
  const name = operation.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())
  return new RegExp(`\\b${name}(Infinite)?(Options|QueryKey)?\\b`).test(source)
}
const called = (operation: string): boolean => isCalled(operation, sources)

it('calls every operation of the API, or says why not', () => {
  const names = operations.map(({ operationId }) => operationId)
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name) => !called(name) && !(name in OTHERWISE))).toEqual([])
})

it('excuses no operation that is called, or that is gone', () => {
  const names = operations.map(({ operationId }) => operationId)
  expect(Object.keys(OTHERWISE).filter((name) => called(name) || !names.includes(name))).toEqual([])
  expect(Object.values(ADDRESSES).filter((address) => !sources.includes(address))).toEqual([])
})

it('filters the log by every noun that can be created', () => {
  const created = operations.flatMap(({ operationId }) => /^(\w+)_create$/.exec(operationId)?.[1] ?? [])
  const others = ['login', 'update'] // a login is an event of its user, an update one of the system
  expect(created.filter((noun) => !others.includes(noun) && !NOUNS.some((one) => one === noun))).toEqual([])
})

/** Fields of requests that no form has, with the reason. */
const NO_FIELD: Record<string, string> = {}

it('offers every field of every request, or says why not', () => {
  const fields = operations.flatMap(({ operationId, requestBody }) => {
    const reference = requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? ''
    return Object.keys(api.components.schemas[reference]?.properties ?? {}).map(
      (field) => `${operationId} ${field}`,
    )
  })
  const isOffered = (field: string) => new RegExp(`\\b${field}\\b`).test(sources)
  const missing = fields.filter((one) => !isOffered(one.split(' ')[1] ?? '') && !(one in NO_FIELD))
  expect(missing).toEqual([])
  expect(Object.keys(NO_FIELD).filter((one) => !fields.includes(one))).toEqual([])
})

/** Parameters of every list; the page loads the rows in sight, and sorts by the heads of its tables. */
const PAGING = ['limit', 'cursor', 'offset', 'sort', 'fields']
/** Parameters of every change: the plan dialog uses one to plan and the other to confirm. */
const PLANNING = ['dry_run', 'confirm']

/** The filters of a list: an address of its page with all of them. */
const FILTERED: Record<string, string> = {
  '/volumes': '/volumes?q=lun&array=tank&host=host1&group=cluster&state=ready',
  '/deleted-volumes': '/deleted-volumes?q=lun&array=tank',
  '/deleted-snapshots': '/deleted-snapshots?q=lun&volume=vm01',
  '/snapshots': '/snapshots?q=lun&volume=vm01&schedule=nightly',
  '/disks': '/disks?q=Z&state=free&health=ok&transport=sas&array=tank',
  '/hosts': '/hosts?q=host&group=cluster',
  '/host-groups': '/host-groups?q=c',
  '/portals': '/portals?q=front',
  '/mappings': '/hosts/esx-cluster-node-a',
  '/sessions': '/sessions?q=iqn',
  '/schedules': '/schedules?q=nightly',
  '/interfaces': '/interfaces?q=eth',
  '/users': '/users?q=a',
  '/tokens': '/tokens?q=a',
  '/jobs': '/jobs?show=done&kind=array.create',
  '/alerts': '/alerts?q=tank&show=unseen&severity=warning',
  '/events': '/events?q=lun&noun=volume&outcome=done&who=people&by=admin&from=2026-11-20&to=2026-11-22',
}

/** Where one address cannot show all of it. */
const FURTHER: Record<string, string[]> = {
  '/volumes': ['/volumes?q=lun*'],
  '/hosts': ['/hosts?q=host*'],
  '/sessions': ['/hosts/host1'],
  '/events': ['/hosts/host1'],
}

/** Filters that no page has, with the reason. */
const NO_FILTER: Record<string, string> = {
  '/users role': 'few rows, sorted by it',
  '/arrays name': 'every array is in sight at once',
  '/arrays state': 'every array is in sight at once',
  '/arrays level': 'every array is in sight at once',
  '/hosts os_type': 'sorted by it',
  '/hosts initiator': 'the search finds the host of an initiator too',
  '/fc-ports name': 'every port is in sight at once',
  '/portals protocol': 'few rows, with the protocol in each',
  '/schedules action': 'few rows, with what they do in each',
  '/schedules enabled': 'few rows, with whether they are on in each',
  '/initiators kind': 'all that were seen are offered at once, with what they are',
  '/mappings volume': 'the matrix has all of them, and filters volumes itself',
  '/performance of': 'for Prometheus; a page asks for one thing',
  '/performance name': 'for Prometheus; a page asks for one thing',
  '/events kind': 'what it is about and how it ended are filters, and words find the rest',
  '/events after': 'for programs that follow the log',
  '/events job': 'the events of a row that is opened: EventsPage.spec.ts',
  '/events progress': 'the log of a job: JobLog.vue',
  '/search text': 'what is typed in the search: SearchPalette.spec.ts',
  '/alerts ref': 'a page about one thing shows its own',
}

const lists = Object.entries(api.paths).flatMap(([path, { get }]) => {
  const names = get?.parameters?.filter((one) => one.in === 'query').map(({ name }) => name) ?? []
  const filters = names.filter((name) => !PAGING.includes(name))
  return names.includes('limit') && filters.length ? [{ path: path.replace('/api/v1', ''), filters }] : []
})

/** The requests of the page for a list at the address with all its filters. */
async function asked(path: string): Promise<Set<string>> {
  const address = FILTERED[path]
  if (!address) return new Set()
  const { requests, router } = await visit(address, loggedIn())
  for (const more of FURTHER[path] ?? []) {
    await router.push(more)
    await settle()
  }
  const queries = requests.filter((one) => one.startsWith(`GET ${path}?`)).map((one) => one.split('?')[1])
  return new Set(queries.flatMap((query) => [...new URLSearchParams(query).keys()]))
}

it.each(lists)('offers every filter of the list $path, or says why not', async ({ path, filters }) => {
  const sent = await asked(path)
  const missing = filters.filter((name) => !sent.has(name)).map((name) => `${path} ${name}`)
  const excused = Object.keys(NO_FILTER).filter((one) => one.startsWith(`${path} `))
  expect(missing.toSorted()).toEqual(excused.toSorted())
})

it('speaks of the filters of lists that there are', () => {
  const paths = lists.map(({ path }) => path)
  expect(paths.length).toBeGreaterThan(15)
  const named = [...Object.keys(FILTERED), ...Object.keys(NO_FILTER).map((one) => one.split(' ')[0] ?? '')]
  expect(named.filter((path) => !paths.includes(path))).toEqual([])
})

/** Parameters of other operations that no caller uses, with the reason. */
const NOT_GIVEN: Record<string, string> = {
  'layout_list block_bytes': 'all volumes have the size of blocks that the answer is for by itself',
}

it('gives every parameter of everything else, or says why not', () => {
  const missing = operations.flatMap(({ operationId, parameters = [] }) => {
    const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
    // The file contains what the list shows: EventsPage.spec.ts.
    if (names.includes('limit') || operationId === 'event_export') return []
    const address = ADDRESSES[operationId]
    const callers = files.filter((file) => (address ? file.includes(address) : isCalled(operationId, file)))
    return names
      .filter((name) => !PLANNING.includes(name))
      .filter((name) => !callers.some((file) => new RegExp(`\\b${name}\\b`).test(file)))
      .map((name) => `${operationId} ${name}`)
  })
  expect(missing.filter((one) => !(one in NOT_GIVEN))).toEqual([])
  expect(Object.keys(NOT_GIVEN).filter((one) => !missing.includes(one))).toEqual([])
})
