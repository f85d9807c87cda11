/** Every operation of the API has a valid example. */
import { expect, it } from 'vitest'
import text from '../../../../backend/openapi.json?raw'
import { operationsOf, search } from './apiDocument'
import type { ApiDocument } from './apiDocument'
import COMMANDS from './commands.gen.json'
import { curlOf } from './exampleCalls'
import { fieldsOf } from './schemaFields'

const api = JSON.parse(text) as ApiDocument
const { schemas } = api.components
const operations = operationsOf(api)
const curl = (id: string) => {
  const found = operations.find(({ operationId }) => operationId === id)
  if (!found) throw new Error(`no operation ${id}`)
  return curlOf(found, schemas, 'https://rack4')
}

it('has for every operation a call whose body is JSON', () => {
  for (const one of operations) {
    const said = curlOf(one, schemas, 'https://rack4')
    expect(said).toContain(`https://rack4${one.path.split('{')[0] ?? ''}`)
    const body = /-d '([^]*)'$/.exec(said)?.[1]
    if (body) expect(() => JSON.parse(body) as unknown).not.toThrow()
  }
})

it('sends what an operation needs, and keeps a file that is answered', () => {
  expect(curl('volume_delete')).toContain(`-H 'If-Match: "ETAG"'`)
  expect(curl('volume_create')).toContain('Idempotency-Key: $(uuidgen)')
  expect(curl('health_show')).not.toContain('Authorization')
  expect(curl('host_kit_download')).toContain('-OJ')
  expect(curl('update_upload')).toContain('--data-binary @FILE')
})

it('knows commands only of operations there are', () => {
  const known = operations.map(({ operationId }) => operationId)
  expect(Object.keys(COMMANDS).filter((id) => !known.includes(id))).toEqual([])
})

it('finds an operation by every word of a search', () => {
  const found = search(operations, schemas, 'grow volume').map(({ operationId }) => operationId)
  expect(found).toContain('volume_grow')
  expect(found).not.toContain('volume_list')
})

it('reads fields with type, unit, bounds and closed sets', () => {
  const fields = fieldsOf({ $ref: '#/components/schemas/VolumeCreate' }, schemas)
  expect(fields.find(({ name }) => name === 'provisioning')).toMatchObject({
    values: ['thick', 'thin'],
    byDefault: '"thick"',
    isRequired: false,
  })
  const observed = fieldsOf(schemas['Volume'] ?? {}, schemas).find(({ name }) => name === 'observed')
  expect(observed).toMatchObject({ isNullable: true, kinds: [{ schema: 'VolumeObserved' }] })
})
