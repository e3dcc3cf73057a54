import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * Starts a TCP proxy to a database, whose open connections can fall silent, as when a router forgets them: they stay open,
 * but nothing that is sent on them arrives. New connections work, and can be redirected.
 */
export const startSilentProxy = async (port: number) => {
  let target = port
  const open = new Set<{ readonly sockets: readonly [Socket, Socket]; silent: boolean }>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    const pair = { sockets: [client, upstream] as const, silent: false }
    open.add(pair)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (data) => void (pair.silent || to.write(data)))
      from.on('error', () => {})
      from.on('close', () => void (pair.silent || to.destroy()))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    silence: (): void => {
      for (const pair of open) pair.silent = true
    },
    redirect: (to: number): void => {
      target = to
    },
    close: async (): Promise<void> => {
      for (const { sockets } of open) for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
