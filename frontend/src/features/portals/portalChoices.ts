/** What a new portal can speak, and on which addresses: what the engines, RDMA devices and HBAs tell. */
import type { Engine, ExportEngine, FcPort, Interface, Portal, Protocol, RdmaDevice } from '@/api'
import { bare } from './portalAddress'

/** SCSI over Fibre Channel has no portals: its ports are those of the HBAs. */
export type Listening = Exclude<Protocol, 'fc'>

/** An engine of portals. */
export type Serving = ExportEngine

/** The usual port of each protocol; iSER needs one of its own beside iSCSI. Fibre Channel has none. */
export const PORTS: Record<Listening, number | undefined> = {
  iscsi: 3260,
  iser: 3261,
  'nvme-tcp': 4420,
  'nvme-rdma': 4420,
  'nvme-fc': undefined,
}
export const PROTOCOLS = Object.keys(PORTS) as Listening[]

export const isRdma = (protocol: Protocol): boolean => protocol === 'iser' || protocol === 'nvme-rdma'

/** Why a protocol cannot be had here; undefined if it can, or nobody knows yet. */
export function blocker(protocol: Protocol, engines: Engine[] | undefined): string | undefined {
  const serving = (engines ?? []).filter(({ kind }) => kind === 'export')
  if (serving.length === 0 || serving.some(({ protocols }) => protocols.includes(protocol))) return undefined
  const reason = serving.flatMap(({ lacking }) => lacking).find(({ ability }) => ability === protocol)?.reason
  const away = serving.find(({ available }) => !available)?.reason
  return reason ?? away ?? ''
}

const KINDS = ['lio', 'nvmet', 'spdk'] satisfies Serving[]

/** The engines that serve a protocol here, the kernel's first. */
export const enginesFor = (protocol: Protocol, engines: Engine[] | undefined): Serving[] =>
  KINDS.filter((name) =>
    engines?.some(
      ({ kind, engine, protocols }) => kind === 'export' && engine === name && protocols.includes(protocol),
    ),
  )

/** The addresses a portal of this protocol can have, with the device that carries them. */
export function addressesFor(
  protocol: Protocol,
  own: string[],
  devices: RdmaDevice[],
): { value: string; device?: string }[] {
  if (!isRdma(protocol)) return own.map((value) => ({ value }))
  const carried = devices.flatMap(({ id, addresses }) =>
    addresses.map(({ address }) => [address, id] as const),
  )
  // Each address is there once for RoCE v1 and once for v2.
  return [...new Map(carried)].map(([value, device]) => ({ value, device }))
}

const isLoopback = (address: string): boolean => /^127\.|^::1$/.test(address)

/** Addresses that hosts can reach, unless there is nothing else. */
export function reachable<Offer extends { value: string }>(offers: readonly Offer[]): readonly Offer[] {
  const found = offers.filter(({ value }) => !isLoopback(value))
  return found.length ? found : offers
}

/**
 * The addresses in the order in which they are proposed: those where no portal is yet before the others, and of these
 * storage interfaces with a link first and management interfaces last.
 */
export function inOrder<Offer extends { value: string }>(
  offers: readonly Offer[],
  interfaces: readonly Interface[],
  portals: readonly Pick<Portal, 'address' | 'port'>[],
  port: number | undefined,
): Offer[] {
  const isUsed = (value: string): boolean =>
    portals.some((one) => one.port === port && bare(one.address) === bare(value))
  const distance = (value: string): number => {
    const on = interfaces.find(({ addresses }) => addresses.some((one) => bare(one.address) === bare(value)))
    if (!on?.link || on.wanted?.role === 'management') return 2
    return on.wanted?.role === 'storage' ? 0 : 1
  }
  const rank = ({ value }: Offer): number => 3 * Number(isUsed(value)) + distance(value)
  return offers.toSorted((one, other) => rank(one) - rank(other))
}

/** The one driver of HBAs that has an NVMe target, as of Linux 6.12; whether a port was given to it, a try tells. */
const NVME_TARGETS = 'lpfc'
const hex = (name: string): string => `0x${name.replaceAll(':', '')}`

/** The ports of HBAs that can be NVMe targets, as the addresses of portals. */
export const fcAddressesFor = (ports: readonly FcPort[]): { value: string; label: string }[] =>
  ports.flatMap(({ wwpn, observed }) =>
    observed?.driver === NVME_TARGETS
      ? [
          {
            value: `nn-${hex(observed.wwnn)}:pn-${hex(wwpn)}`,
            label: [wwpn, observed.model ?? observed.driver, observed.link].join(' · '),
          },
        ]
      : [],
  )
