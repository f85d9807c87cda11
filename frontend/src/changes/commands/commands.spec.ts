// @vitest-environment node
/**
 * For each operation that changes something, its texts. They are written to samples.gen.json, with which the tests of
 * the command line (backend/tests/cli/test_copied.py) and of the collection (tests/collection/test_copied.py) go on:
 * `npx vitest run src/changes/commands -u` writes it anew.
 */
import { expect, it } from 'vitest'
import text from '../../../../backend/openapi.json?raw'
import REQUESTS from '@/api/requests.gen.json'
import type { Sent } from '@/server/sent'
import { ansibleOf } from './ansible'
import { askedOf, isFields, Placeholder } from './asked'
import type { Asked, Find, Json } from './asked'
import { cliOf } from './cli'
import { curlOf } from './curl'

interface Spec {
  operationId: string
  requestBody?: { content: Record<string, { example?: unknown }> }
}

const ORIGIN = 'https://rack4:8443'
const api = JSON.parse(text) as { paths: Record<string, Record<string, Spec>> }
const examples = new Map(
  Object.values(api.paths)
    .flatMap((methods) => Object.values(methods))
    .map((one) => [one.operationId, one.requestBody?.content['application/json']?.example]),
)
const known = REQUESTS as unknown as Record<string, { method: string; path: string }>
const NAMES: Record<string, string> = {
  volume: 'lun01',
  array: 'tank',
  host: 'esx1',
  event: '42',
  user: 'jane',
}

/** Reasons why an operation has no text: of the command line, where the page opens no plan for it. */
const WITHOUT_CLI: Record<string, string> = {
  login_create: 'a person logs in',
  login_delete: 'a person logs out',
  password_change: "a person's own password",
  second_factor_start: "a person's own second factor",
  second_factor_confirm: "a person's own second factor",
  second_factor_renew_codes: "a person's own second factor",
  second_factor_remove: "a person's own second factor",
  appliance_backup: 'the answer is a file, which the command writes to a place that is not known here',
  appliance_support: 'the answer is a file, which the command writes to a place that is not known here',
  appliance_restore: 'the backup is a file, whose place is not known here',
  site_inspect: 'the configuration of targetcli is a file, whose place is not known here',
  update_upload: 'the bundle is a file, whose place is not known here',
  update_create: 'the command uploads the bundle as well, which is a file',
  update_fetch: 'a part of the command that installs the bundle as well',
}

/** What the examples of the API do not show. */
const MORE: [name: string, operation: string, body: unknown, query?: Record<string, unknown>][] = [
  ['a description is removed', 'volume_patch', { description: '' }],
  [
    'quotes',
    'volume_create',
    { name: 'db01', array: 'tank', size_bytes: 1536, description: "Kim's $5 `x` \\" },
  ],
  ['deleted with what hangs on it', 'volume_delete', undefined, { cascade: true }],
  ['many deleted with what hangs on them', 'volume_delete_batch', { volumes: ['a', 'b'], cascade: true }],
  ['data given up', 'volume_roll_back', { snapshot: 's1', keep: false, delete_newer_snapshots: true }],
  ['many clones', 'snapshot_clone', { name_pattern: 'vm%02d', count: 4, first: 3 }],
  [
    'several snapshots at once',
    'snapshot_create_batch',
    { volumes: ['a', 'b'], name: '{volume}.x', atomic: true },
  ],
  [
    'several to one host',
    'mapping_create_batch',
    {
      mappings: [
        { volume: 'a', host: 'h' },
        { volume: 'b', host: 'h' },
      ],
    },
  ],
  [
    'credentials',
    'host_create',
    {
      name: 'h1',
      iqns: [],
      chap: { user: 'u', secret: 'of-the-host-1', mutual_user: 'm', mutual_secret: 'of-the-appliance' },
      dhchap: { secret: 'DHHC-1:00:abc', hash: 'sha512', dh_group: 'null' },
      description: '',
      opens_without_missing_after_s: 60,
    },
  ],
  [
    'credentials are removed',
    'host_patch',
    { chap: null, dhchap: null, iqns: [], opens_without_missing_after_s: null },
  ],
  ['an empty group', 'host_group_patch', { hosts: [] }],
  [
    'automatic values',
    'array_patch',
    {
      sync_speed_min_bytes_s: null,
      group_thread_cnt: null,
      scheduler: null,
      spare_group: null,
      write_mostly: null,
    },
  ],
  ['own values', 'array_patch', { skip_copy: true, stripe_cache_size: 4096, spare_group: 'hot' }],
  ['wiped disks', 'array_grow', { disks: ['d1', 'd2'], wipe: ['d1', 'd2'] }],
  ['no wiped disks', 'array_grow', { disks: ['d1'], wipe: [] }],
  ['a wiped disk', 'array_replace', { disk: 'd1', new: 'd2', wipe: ['d2'] }],
  ['a key is not kept', 'array_change_key', { passphrase: 'an old passphrase', keep_key: false }],
  [
    'a scrub',
    'schedule_create',
    { name: 'monthly', action: 'scrub', arrays: ['tank'], when: '0 3 1 * *', missed: 'skip', enabled: false },
  ],
  [
    'a schedule as the form sends it',
    'schedule_patch',
    {
      name: 'nightly2',
      when: '30 2 * * *',
      missed: 'run_once',
      enabled: true,
      description: '',
      volumes: ['db01'],
      keep: { last: 7, hourly: 0, daily: 0, weekly: 0, monthly: 0 },
    },
  ],
  ['what is set is removed', 'interface_change', { gateway: null, mtu_bytes: null, dhcp: true }],
  ['a channel is removed', 'setting_patch', { mail: null, session_hours: 12, second_factor_required: false }],
  ['only the array', 'foreign_array_adopt', { name: 'tank', volumes: [], make_group: true }],
  ['a new password', 'user_patch', { password: 'seven silver lunar bridges', keep_tokens: false }],
]

function sample(name: string, operation: string, body: unknown, query: Record<string, unknown> = {}) {
  const { method = '', path = '' } = known[operation] ?? {}
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => one)
  const values = Object.fromEntries(names.map((one) => [one, NAMES[one] ?? `the-${one}`]))
  const sent: Sent = { method, template: path, path: values, query, body, match: '"7"' }
  return { name, sent, asked: askedOf(sent) as Asked }
}

/** The secrets of a request by their variables. */
function secretsOf(masked: Json | undefined, sent: unknown): Record<string, string> {
  if (masked instanceof Placeholder) return { [masked.variable]: String(sent) }
  const inner = Array.isArray(masked) || isFields(masked) ? Object.entries(masked) : []
  return Object.assign(
    {},
    ...inner.map(([key, one]) => secretsOf(one, (sent as Record<string, unknown>)[key])),
  )
}

const nothing: Find = () => undefined
/** A mapping has no name: its task needs what it maps. */
const shown: Find = (id) =>
  id === 'the-mapping' ? { id, volume: 'lun01', host: 'esx1', created_at: 'x' } : undefined
const samples = [
  ...Object.keys(known).map((operation) =>
    sample('the example of the API', operation, examples.get(operation)),
  ),
  ...MORE.map(([name, operation, body, query]) => sample(name, operation, body, query)),
].map(({ name, sent, asked }) => ({
  name,
  operation: asked.operation,
  path: sent.path,
  query: sent.query,
  body: sent.body ?? {},
  secrets: secretsOf(asked.body, sent.body),
  cli: cliOf(asked, nothing),
  curl: curlOf(asked, ORIGIN, []),
  ansible: ansibleOf(asked, shown, { title: 'Change', isDestroying: false, isInUse: false }),
}))

it('has a command for every operation that changes something, or a reason', async () => {
  const without = samples.filter(({ cli }) => cli === undefined).map(({ operation }) => operation)
  expect([...new Set(without)].sort()).toEqual(Object.keys(WITHOUT_CLI).sort())
  await expect(`${JSON.stringify(samples, null, 1)}\n`).toMatchFileSnapshot('./samples.gen.json')
})

it('puts no secret into a text', () => {
  const withSecrets = samples.filter(({ secrets }) => Object.keys(secrets).length)
  expect(withSecrets.length).toBeGreaterThan(8)
  for (const { secrets, cli = '', curl, ansible = '' } of withSecrets)
    for (const [variable, secret] of Object.entries(secrets)) {
      expect([cli, curl, ansible].join('\n')).not.toContain(secret)
      expect(curl).toContain(`$${variable}`)
    }
})

it('binds the request to what was read, and names what has to be confirmed', () => {
  const { asked } = sample('', 'volume_delete', undefined)
  expect(curlOf(asked, ORIGIN, ['lun01', 'a b'])).toContain(
    `'${ORIGIN}/api/v1/volumes/lun01?confirm=lun01&confirm=a+b'`,
  )
  expect(curlOf(asked, ORIGIN, [])).toContain(`-H 'If-Match: "7"'`)
  expect(ansibleOf(asked, nothing, { title: 'Delete', isDestroying: true, isInUse: true })).toContain(
    'in_use: true',
  )
})

it('names objects by their names where it knows them, but not those that are deleted', () => {
  const objects: Record<string, Record<string, unknown>> = {
    v1: { id: 'v1', name: 'lun07', created_at: 'x' },
    h1: { id: 'h1', name: 'esx1', created_at: 'x' },
    v2: { id: 'v2', name: 'old', created_at: 'x', deleted_at: 'x' },
    m1: { id: 'm1', volume: 'lun07', host: 'esx1', host_group: null, created_at: 'x' },
  }
  const find: Find = (id) => objects[id]
  expect(cliOf(sample('', 'mapping_create', { volume: 'v1', host: 'h1' }).asked, find)).toBe(
    'lunette mapping create --volume lun07 --host esx1',
  )
  expect(cliOf(sample('', 'mapping_create', { volume: 'v2', host: 'h1' }).asked, find)).toContain('v2')
  const removal = sample('', 'mapping_delete', undefined).asked
  removal.path = { mapping: 'm1' }
  expect(ansibleOf(removal, find, { title: 'Unmap', isDestroying: false, isInUse: false })).toBe(
    [
      '- name: Unmap',
      '  lunette.appliance.mapping:',
      '    volume: lun07',
      '    host: esx1',
      '    state: absent',
      '',
    ].join('\n'),
  )
})

it('tells only what changes', () => {
  const { sent } = sample('', 'volume_patch', { name: 'lun02', description: 'the same' })
  const asked = askedOf(sent, { name: 'lun01', description: 'the same' }) as Asked
  expect(cliOf(asked, nothing)).toBe('lunette volume set lun01 --name lun02')
  expect(ansibleOf(asked, nothing, { title: 'Rename', isDestroying: false, isInUse: false })).toContain(
    'name: lun02\n    renamed_from: lun01',
  )
})

it('has no command for several that one command cannot do', () => {
  const mappings = [
    { volume: 'a', host: 'h1' },
    { volume: 'a', host: 'h2' },
  ]
  expect(cliOf(sample('', 'mapping_create_batch', { mappings }).asked, nothing)).toBeUndefined()
})
