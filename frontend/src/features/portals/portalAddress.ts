/** Addresses as portals and interfaces write them. */

/** Without the length of the network: `192.0.2.1` of `192.0.2.1/24`. */
export const bare = (address: string): string => address.split('/')[0]?.toLowerCase() ?? ''

/** Whether it names a Fibre Channel port, by WWNN and WWPN. */
export const isFcPort = (address: string): boolean => address.startsWith('nn-0x')

/** As people write it: brackets around IPv6, and no number where a Fibre Channel port listens. */
export function endpoint({ address, port }: { address: string; port?: number | null }): string {
  if (isFcPort(address)) return address
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

/** Whether a portal listens on every address the appliance has. */
export const isEvery = (address: string): boolean => address === '0.0.0.0' || address === '::'
