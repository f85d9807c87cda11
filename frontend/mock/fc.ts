/** Fibre Channel ports of the mock: left alone until somebody takes them over. */
import type { FcPort, FcPortCreate, FcPortPatch } from '@/api'
import { json, noContent, plan } from './answers'
import type { Wish } from './answers'
import { freshId } from './made'
import type { World } from './world'

/** A port of an Emulex HBA, whose driver has an NVMe target. */
export const nvmePort = (wwpn: string): FcPort => {
  const port = fcPort(wwpn)
  const observed = port.observed && { ...port.observed, driver: 'lpfc', model: 'LPe35002' }
  return { ...port, observed }
}

export const fcPort = (wwpn: string): FcPort => ({
  wwpn,
  id: null,
  mode: null,
  state: 'none',
  reason: null,
  observed: {
    wwnn: '20:00:00:24:ff:00:00:01',
    driver: 'qla2xxx',
    model: 'QLE2692',
    firmware: '9.12.01',
    symbolic_name: null,
    link: 'online',
    speed: '16 Gbit',
    topology: 'fabric',
    mode: 'disabled',
    modes: ['target', 'initiator', 'disabled'],
    target_reason: null,
    remotes: [
      {
        wwpn: '10:00:00:00:c9:00:00:01',
        wwnn: '20:00:00:00:c9:00:00:01',
        roles: ['initiator'],
        state: 'online',
        host: null,
      },
    ],
    reaches: 0,
  },
  age_s: 1,
})

const becomes = (port: FcPort, mode: FcPort['mode']): Wish => ({
  plan: plan(`Change Fibre Channel port ${port.wwpn}`, [
    ['change', 'fc_port', port.wwpn, `becomes ${mode ?? 'left alone'}`],
  ]),
  apply: () => {
    const state = mode === 'target' ? 'open' : 'none'
    Object.assign(port, { mode, state, id: mode ? (port.id ?? freshId('fc-port')) : null })
    return mode ? json(port) : noContent()
  },
})

export function takeOver(world: World, body: FcPortCreate): Wish {
  const port = world.fcPorts.find(({ wwpn }) => wwpn === body.wwpn)
  if (!port) throw new Error(`the mock has no port ${body.wwpn}`)
  return becomes(port, body.mode ?? 'target')
}

export const setMode = (port: FcPort, { mode }: FcPortPatch): Wish => becomes(port, mode ?? port.mode)
export const letGo = (port: FcPort): Wish => becomes(port, null)
