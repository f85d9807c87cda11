/** Fibre Channel ports of the mock: left alone until somebody takes them over. */
import type { FcPort, FcPortCreate, FcPortPatch } from '@/api'
import { find, json, noContent, plan } from './answers'
import type { Gone, Made, Planned, Shown } from './answers'
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

function becomes<Done>(port: FcPort, mode: FcPort['mode'], answer: () => Done): Planned<Done> {
  return {
    plan: plan(`Change Fibre Channel port ${port.wwpn}`, [
      ['change', 'fc_port', port.wwpn, `becomes ${mode ?? 'left alone'}`],
    ]),
    apply: () => {
      const state = mode === 'target' ? 'open' : 'none'
      Object.assign(port, { mode, state, id: mode ? (port.id ?? freshId('fc-port')) : null })
      return answer()
    },
  }
}

export function takeOver(world: World, body: FcPortCreate): Planned<Made<FcPort>> {
  const port = find(world.fcPorts, body.wwpn)
  return becomes(port, body.mode ?? 'target', () => json(port, 201))
}

export const setMode = (port: FcPort, { mode }: FcPortPatch): Planned<Shown<FcPort>> =>
  becomes(port, mode ?? port.mode, () => json(port))
export const letGo = (port: FcPort): Planned<Gone> => becomes(port, null, noContent)
