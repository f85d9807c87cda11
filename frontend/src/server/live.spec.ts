import { QueryClient, onlineManager } from '@tanstack/vue-query'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FakeEventSource } from '../../mock/visit'
import { useConnection } from './connection'
import { useLive } from './live'

let queries: QueryClient
let live: ReturnType<typeof useLive>
let connection: ReturnType<typeof useConnection>
let answers: boolean

const stale = () =>
  queries
    .getQueryCache()
    .getAll()
    .filter((query) => query.state.isInvalidated)
    .map((query) => (query.queryKey[0] as { _id: string })._id)

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', FakeEventSource)
  setActivePinia(createPinia())
  connection = useConnection()
  answers = false
  // As client.ts does with every answer.
  vi.stubGlobal('fetch', async () => {
    if (!answers) throw new TypeError('Failed to fetch')
    connection.heard()
    return Response.json({})
  })
  queries = new QueryClient()
  for (const [id, tag] of [
    ['diskList', 'disks'],
    ['volumeList', 'volumes'],
    ['hostList', 'hosts'],
    ['hostGroupList', 'host groups'],
    ['statusShow', 'status'],
  ])
    queries.setQueryData([{ _id: id, tags: [tag] }], {})
  live = useLive(queries)
  live.start()
})

afterEach(() => {
  live.stop()
  vi.useRealTimers()
})

const tell = (data: string) => FakeEventSource.last?.tell(data)

it('fetches again what an event touches, and nothing else', () => {
  tell(JSON.stringify({ seq: 1, noun: 'volume', kind: 'volume.created' }))
  vi.advanceTimersByTime(300)
  expect(stale()).toEqual(['volumeList', 'statusShow'])
})

it('fetches the hosts and groups again that a mapping may be of', () => {
  tell(JSON.stringify({ seq: 1, noun: 'mapping', kind: 'mapping.created' }))
  vi.advanceTimersByTime(300)
  expect(stale()).toEqual(['volumeList', 'hostList', 'hostGroupList', 'statusShow'])
})

it('makes one refetch of a batch of events', () => {
  const invalidate = vi.spyOn(queries, 'invalidateQueries')
  for (let seq = 1; seq <= 32; seq += 1) tell(JSON.stringify({ seq, noun: 'volume' }))
  vi.advanceTimersByTime(300)
  expect(invalidate).toHaveBeenCalledTimes(1)
})

it('fetches what a job makes when it is over, not at each of its steps', () => {
  tell(JSON.stringify({ seq: 1, noun: 'job', kind: 'job.progress' }))
  vi.advanceTimersByTime(300)
  expect(stale()).toEqual([])
  tell(JSON.stringify({ seq: 2, noun: 'job', kind: 'job.finished' }))
  vi.advanceTimersByTime(300)
  expect(stale()).toEqual(['volumeList', 'statusShow'])
})

it('survives data it cannot read', () => {
  tell('not json')
  tell('null')
  tell('{"noun": 7}')
  vi.advanceTimersByTime(300)
  expect(stale()).toEqual([])
})

it('stays live when the server ends a stream and takes the client back in time', () => {
  FakeEventSource.last?.open()
  FakeEventSource.last?.fail()
  vi.advanceTimersByTime(4_000)
  FakeEventSource.last?.open()
  vi.advanceTimersByTime(10_000)
  expect(live.state.value).toBe('live')
  expect(connection.isLost).toBe(false)
  expect(stale()).toEqual([])
})

it('says that it is lost when the outage lasts, and fetches everything again afterwards', async () => {
  FakeEventSource.last?.open()
  FakeEventSource.last?.fail()
  await vi.advanceTimersByTimeAsync(7_000)
  expect([live.state.value, connection.isLost]).toEqual(['lost', true])
  expect(onlineManager.isOnline()).toBe(false)
  FakeEventSource.last?.open()
  expect([live.state.value, connection.isLost]).toEqual(['live', false])
  expect(onlineManager.isOnline()).toBe(true)
  expect(stale()).toHaveLength(5)
})

it('takes silence for a loss although nothing broke, and heartbeats for a sign of life', async () => {
  FakeEventSource.last?.open()
  for (let beat = 0; beat < 6; beat += 1) {
    await vi.advanceTimersByTimeAsync(5_000)
    FakeEventSource.last?.beat()
  }
  expect(connection.isLost).toBe(false)
  const heard = connection.heardAt
  await vi.advanceTimersByTimeAsync(16_000)
  expect([connection.isLost, connection.heardAt]).toEqual([true, heard])
})

it('aborts a request that hangs and retries until one succeeds', async () => {
  const first = FakeEventSource.last
  first?.open()
  await vi.advanceTimersByTimeAsync(25_000)
  expect(FakeEventSource.last).not.toBe(first)
  expect(first?.readyState).toBe(FakeEventSource.CLOSED)
  FakeEventSource.last?.open()
  expect(connection.isLost).toBe(false)
})

it('is not lost where the stream alone is refused', async () => {
  answers = true
  FakeEventSource.last?.close()
  FakeEventSource.last?.fail()
  await vi.advanceTimersByTimeAsync(60_000)
  expect([live.state.value, connection.isLost]).toEqual(['lost', false])
})

it('connects anew when the browser has given up on the stream', () => {
  const first = FakeEventSource.last
  first?.close()
  first?.fail()
  vi.advanceTimersByTime(3_500)
  expect(FakeEventSource.last).not.toBe(first)
})
