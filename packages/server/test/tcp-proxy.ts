import { connect, createServer, type Socket } from 'node:net'

/** A proxy between a client and a server that can interrupt their connection. */
export type TcpProxy = {
  readonly port: number
  /** Stops forwarding without closing connections, as if a cable were unplugged. */
  blackHole(): void
  /** Breaks every connection, and each new one at once, as if the server were down. */
  refuse(): void
  /** Resumes forwarding. Interrupted connections are closed. */
  restore(): void
  /** Breaks the connection that next sends this text when the response arrives. The response is lost. */
  loseResponseTo(text: string): void
  /** Breaks every connection, losing data in transit. New connections are forwarded. */
  cut(): void
  close(): Promise<void>
}

/** Starts a proxy to a port of this machine. */
export const createTcpProxy = async (target: number): Promise<TcpProxy> => {
  const sockets = new Set<Socket>()
  const lost = new Set<string>()
  let isOpen = true
  let isRefusing = false
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  }
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    keep(client)
    if (isRefusing) client.destroy()
    if (!isOpen || isRefusing) return
    const upstream = connect(target, '127.0.0.1')
    keep(upstream)
    client.on('data', (chunk) => {
      const text = [...lost].find((each) => chunk.includes(each))
      if (text === undefined) return
      lost.delete(text)
      upstream.unpipe(client)
      upstream.once('data', () => client.destroy()).resume()
    })
    client.pipe(upstream).pipe(client)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    blackHole: () => {
      isOpen = false
      for (const socket of sockets) {
        socket.unpipe()
        socket.pause()
      }
    },
    refuse: () => {
      isRefusing = true
      destroyAll()
    },
    restore: () => {
      isOpen = true
      isRefusing = false
      destroyAll()
    },
    loseResponseTo: (text) => void lost.add(text),
    cut: destroyAll,
    close: async () => {
      destroyAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
