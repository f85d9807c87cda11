/**
 * The NVMe subsystems, assembled from owners, namespaces and controllers in the API. A host or
 * group has one while a volume is mapped to it over NVMe (decision 0012).
 */
import type { Export, Host, HostGroup, Mapping, Session } from '@/api'

export interface Subsystem {
  nqn: string
  owner: string
  isGroup: boolean
  /** Who may connect, by name. */
  hosts: { name: string; nqns: readonly string[] }[]
  /** By NSID. */
  namespaces: Mapping[]
  /** Connected now; undefined while unknown. */
  controllers: Session[] | undefined
  /** Open if all of its namespaces are; otherwise the state of the first one that is not. */
  state: Export['state']
  reason: string | null
}

/** What users must know first. */
const WORST: readonly Export['state'][] = ['blocked', 'unknown', 'pending', 'open', 'none']

/** `sessions` undefined: unknown, or incomplete. */
export function subsystemsOf(
  mappings: readonly Mapping[],
  hosts: readonly Host[],
  groups: readonly HostGroup[],
  sessions: readonly Session[] | undefined,
): Subsystem[] {
  const found = new Map<string, Mapping[]>()
  for (const mapping of mappings)
    if (mapping.subsystem_nqn !== null)
      found.set(mapping.subsystem_nqn, [...(found.get(mapping.subsystem_nqn) ?? []), mapping])
  const byName = new Map(hosts.map((host) => [host.name, host]))
  const members = new Map(groups.map((group) => [group.name, group.hosts]))

  return [...found].map(([nqn, served]): Subsystem => {
    const namespaces = served.toSorted((one, other) => one.lun - other.lun)
    const { host, host_group: group } = served[0] ?? { host: null, host_group: null }
    const names = host === null ? (members.get(group ?? '') ?? []) : [host]
    const told = namespaces.toSorted((one, other) => WORST.indexOf(one.state) - WORST.indexOf(other.state))[0]
    return {
      nqn,
      owner: host ?? group ?? '',
      isGroup: host === null,
      hosts: names.map((name) => ({ name, nqns: byName.get(name)?.nqns ?? [] })),
      namespaces,
      controllers: sessions?.filter((one) => one.subsystem_nqn === nqn),
      state: told?.state ?? 'unknown',
      reason: told?.reason ?? null,
    }
  })
}

/** Whether a search text matches the subsystem: its names, its volumes, or who connects to it. */
export function isMeant(one: Subsystem, searched: string): boolean {
  const text = searched.toLowerCase()
  const names = [
    one.nqn,
    one.owner,
    ...one.hosts.flatMap(({ name, nqns }) => [name, ...nqns]),
    ...one.namespaces.map(({ volume }) => volume),
  ]
  return names.some((name) => name.toLowerCase().includes(text))
}
