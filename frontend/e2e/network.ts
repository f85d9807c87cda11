/** The network between the browser and the appliance: a relay of TCP connections that can be cut. */
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

export interface Network {
  /** The address of the appliance behind the relay. */
  url: string
  /** Nothing arrives anymore; connections stay open, and new ones are not answered. */
  cut: () => void
  /** What was sent meanwhile arrives now, as TCP retransmits it. */
  join: () => void
  close: () => void
}

export async function networkTo(baseURL: string | undefined): Promise<Network> {
  const to = new URL(baseURL ?? '')
  const ends = new Set<Socket>()
  let isCut = false
  const relay = (from: Socket, into: Socket) => {
    ends.add(from)
    from.on('data', (chunk) => into.write(chunk))
    from.on('error', () => into.destroy())
    from.on('close', () => {
      ends.delete(from)
      into.destroy()
    })
    if (isCut) from.pause()
  }
  const server = createServer((near) => {
    const far = connect({ host: to.hostname, port: Number(to.port) })
    relay(near, far)
    relay(far, near)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, to.hostname, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `${to.protocol}//${to.hostname}:${port}`,
    cut: () => {
      isCut = true
      for (const end of ends) end.pause()
    },
    join: () => {
      isCut = false
      for (const end of ends) end.resume()
    },
    close: () => {
      server.close()
      for (const end of ends) end.destroy()
    },
  }
}
