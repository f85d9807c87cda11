/** The content of the form of an interface, and the request that it becomes. */
import type {
  BondMode,
  Interface,
  InterfaceChange,
  InterfaceCreate,
  InterfaceKind,
  InterfaceRole,
  LacpRate,
} from '@/api'

export const ROLES = ['management', 'storage', 'both'] as const

export interface InterfaceDraft {
  role: InterfaceRole
  dhcp: boolean
  /** With their prefixes, such as 192.0.2.10/24. */
  addresses: string[]
  gateway: string
  dns: string[]
  ntp: string[]
  /** Empty uses the driver's default. */
  mtu: number | ''
  /** Names of portals whose address may be removed. */
  portals: string[]
}

/** As Lunette configures it; what it does not configure yet starts from the observation. */
export function draftOf({ wanted, addresses }: Interface): InterfaceDraft {
  return {
    role: wanted?.role ?? 'management',
    dhcp: wanted?.dhcp ?? addresses.some(({ dynamic }) => dynamic),
    addresses: wanted
      ? [...wanted.addresses]
      : addresses.filter(({ dynamic }) => !dynamic).map(({ address }) => address),
    gateway: wanted?.gateway ?? '',
    dns: [...(wanted?.dns ?? [])],
    ntp: [...(wanted?.ntp ?? [])],
    mtu: wanted?.mtu_bytes ?? '',
    portals: [],
  }
}

export const ipOf = (address: string): string => address.replace(/\/.*/, '').toLowerCase()

/** The portals that would lose their address; the API requires that each is named. */
export function losing(shown: Interface, draft: InterfaceDraft): { portal: string; address: string }[] {
  const kept = new Set(draft.addresses.map(ipOf))
  return shown.addresses
    .filter(({ address, dynamic }) => !kept.has(ipOf(address)) && !(dynamic && draft.dhcp))
    .flatMap(({ address, portals }) => portals.map((portal) => ({ portal, address: ipOf(address) })))
}

export function changeBody(draft: InterfaceDraft): InterfaceChange {
  const { role, dhcp, addresses, dns, ntp, portals } = draft
  const gateway = draft.gateway.trim() || null
  return { role, dhcp, addresses, gateway, dns, ntp, mtu_bytes: draft.mtu === '' ? null : draft.mtu, portals }
}

export const KINDS = ['vlan', 'bond'] as const
export const MODES: readonly BondMode[] = [
  'active-backup',
  '802.3ad',
  'balance-xor',
  'balance-rr',
  'balance-tlb',
  'balance-alb',
]

/** The parts of a VLAN or a bond, and its settings. */
export interface MakingDraft extends InterfaceDraft {
  kind: InterfaceKind
  /** Empty uses the suggested one. */
  name: string
  parent: string
  vlanId: number | ''
  members: string[]
  mode: BondMode
  lacpRate: LacpRate
  /** Milliseconds; empty uses the kernel's default. */
  miimon: number | ''
}

export const blankMaking = (): MakingDraft => ({
  kind: 'vlan',
  name: '',
  parent: '',
  vlanId: '',
  members: [],
  mode: 'active-backup',
  lacpRate: 'slow',
  miimon: '',
  role: 'storage',
  dhcp: false,
  addresses: [],
  gateway: '',
  dns: [],
  ntp: [],
  mtu: '',
  portals: [],
})

/** The usual name: eth1.100 for a VLAN, the first free number for a bond. */
export function suggestedName({ kind, parent, vlanId }: MakingDraft, taken: readonly string[]): string {
  if (kind === 'vlan') return parent && vlanId ? `${parent}.${vlanId}` : ''
  let number = 0
  while (taken.includes(`bond${number}`)) number += 1
  return `bond${number}`
}

export function createBody(draft: MakingDraft, taken: readonly string[]): InterfaceCreate {
  const { kind, parent, vlanId, members, mode, lacpRate, miimon, role, dhcp, addresses, dns, ntp } = draft
  const own = {
    name: draft.name.trim() || suggestedName(draft, taken),
    role,
    dhcp,
    addresses,
    dns,
    ntp,
    gateway: draft.gateway.trim() || null,
    mtu_bytes: draft.mtu === '' ? null : draft.mtu,
  }
  if (kind === 'vlan') return { ...own, kind, parent: parent || null, vlan_id: vlanId === '' ? null : vlanId }
  const lacp_rate = mode === '802.3ad' ? lacpRate : null
  return { ...own, kind, members, mode, lacp_rate, miimon_ms: miimon === '' ? null : miimon }
}
