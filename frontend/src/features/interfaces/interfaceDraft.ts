/** What the form of an interface holds, and what it asks of the API. */
import type { Interface, InterfaceChange, InterfaceRole } from '@/api'

export const ROLES = ['management', 'storage', 'both'] as const

export interface InterfaceDraft {
  role: InterfaceRole
  dhcp: boolean
  /** With their prefixes, such as 192.0.2.10/24. */
  addresses: string[]
  gateway: string
  dns: string[]
  /** Empty leaves it to the driver. */
  mtu: number | ''
  /** Names of portals whose address may go. */
  portals: string[]
}

/** As Lunette configures it; what it does not configure yet starts from what is seen. */
export function draftOf({ wanted, addresses }: Interface): InterfaceDraft {
  return {
    role: wanted?.role ?? 'management',
    dhcp: wanted?.dhcp ?? addresses.some(({ dynamic }) => dynamic),
    addresses: wanted
      ? [...wanted.addresses]
      : addresses.filter(({ dynamic }) => !dynamic).map(({ address }) => address),
    gateway: wanted?.gateway ?? '',
    dns: [...(wanted?.dns ?? [])],
    mtu: wanted?.mtu_bytes ?? '',
    portals: [],
  }
}

export const ipOf = (address: string): string => address.replace(/\/.*/, '').toLowerCase()

/** The portals that would lose their address; the API demands that each is named. */
export function losing(shown: Interface, draft: InterfaceDraft): { portal: string; address: string }[] {
  const kept = new Set(draft.addresses.map(ipOf))
  return shown.addresses
    .filter(({ address, dynamic }) => !kept.has(ipOf(address)) && !(dynamic && draft.dhcp))
    .flatMap(({ address, portals }) => portals.map((portal) => ({ portal, address: ipOf(address) })))
}

export function changeBody(draft: InterfaceDraft): InterfaceChange {
  const { role, dhcp, addresses, dns, portals } = draft
  const gateway = draft.gateway.trim() || null
  return { role, dhcp, addresses, gateway, dns, mtu_bytes: draft.mtu === '' ? null : draft.mtu, portals }
}
