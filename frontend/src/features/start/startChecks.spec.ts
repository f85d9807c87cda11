import { expect, it } from 'vitest'
import { fcPort } from '../../../mock/fc'
import { freshlyInstalled } from '../../../mock/fresh'
import { alerts } from '../../../mock/journal'
import { softRoce } from '../../../mock/portals'
import { makeWorld } from '../../../mock/world'
import type { World } from '../../../mock/world'
import { checksOf } from './startChecks'
import type { Facts } from './startChecks'

const facts = (world: World) => ({
  status: world.status,
  engines: world.engines,
  disks: world.disks,
  alerts: world.alerts.filter(({ resolved_at }) => !resolved_at),
  openAlerts: 0,
  fcPorts: world.fcPorts,
  rdmaDevices: world.rdmaDevices,
  skewMs: undefined,
  protocol: (name: string) => name,
})
const checkOf = (world: World, name: string, more: Partial<Facts> = {}) =>
  checksOf({ ...facts(world), ...more }).find((one) => one.name === name)
const toneOf = (world: World, name: string) => checkOf(world, name)?.tone

it('tell disks that would be wiped from blank ones', () => {
  const world = freshlyInstalled()
  world.disks = world.disks.slice(-1).map((disk) => ({ ...disk, state: 'occupied' as const, wipeable: true }))
  expect(toneOf(world, 'disks')).toBe('warn')
  expect(toneOf({ ...world, disks: [] }, 'disks')).toBe('bad')
  expect(toneOf(makeWorld(), 'disks')).toBe('good')
})

it('name each engine that is not available with what it lacks', () => {
  const world = freshlyInstalled()
  expect(checkOf(world, 'engines')).toBeUndefined()
  const reason = 'zpool is not installed: install the Debian package zfsutils-linux'
  world.engines = world.engines.map((one) =>
    one.engine === 'zfs' ? { ...one, available: false, reason } : one,
  )
  expect(checkOf(world, 'engines')).toMatchObject({ tone: 'quiet', why: `zfs: ${reason}` })
  expect(toneOf(world, 'arrays')).toBe('good')
})

it('look at HBAs and RDMA devices, which nobody must have', () => {
  const world = freshlyInstalled()
  expect([toneOf(world, 'fc'), toneOf(world, 'rdma')]).toEqual(['quiet', 'quiet'])
  const port = fcPort('21:00:00:24:ff:00:00:01')
  world.fcPorts = [port]
  world.rdmaDevices = [softRoce('10.30.0.2')]
  expect([toneOf(world, 'fc'), toneOf(world, 'rdma')]).toEqual(['good', 'good'])
  world.fcPorts = [{ ...port, id: 'p', mode: 'target', state: 'blocked', reason: 'no link' }]
  world.rdmaDevices = world.rdmaDevices.map((one) => ({ ...one, reason: 'its port is down' }))
  expect(checkOf(world, 'fc')).toMatchObject({ tone: 'warn', why: `${port.wwpn}: no link` })
  expect(checkOf(world, 'rdma')).toMatchObject({ tone: 'warn', why: 'rxe0/1: its port is down' })
})

it('tell a clock that nobody set, and one that differs from this computer', () => {
  const world = freshlyInstalled()
  expect(checkOf(world, 'skew')).toBeUndefined()
  expect(checkOf(world, 'skew', { skewMs: 900 })).toMatchObject({ tone: 'good' })
  expect(checkOf(world, 'skew', { skewMs: -7_200_000 })).toMatchObject({ values: { minutes: 120 } })
  world.alerts = alerts().map((one) => ({
    ...one,
    key: 'clock.unset',
    family: 'clock' as const,
    cause: 'None answered',
    resolved_at: null,
  }))
  expect(checkOf(world, 'clock')).toMatchObject({ tone: 'warn', why: 'None answered' })
  expect(checkOf(world, 'skew', { skewMs: 900 })).toBeUndefined()
})

it('do not count the loopback address', () => {
  const world = freshlyInstalled()
  world.status = { ...world.status, addresses: ['127.0.0.1', '::1'] }
  expect(toneOf(world, 'network')).toBe('bad')
})
