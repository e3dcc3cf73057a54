import { connect, createServer, type Socket } from 'node:net'

/** A pooler in transaction mode, such as PgBouncer: all clients share one connection to PostgreSQL. */
export type TransactionPooler = { readonly port: number; close(): Promise<void> }

type Handler = (message: Buffer) => void

/** Splits bytes into messages: a type (except in a client's first message), a length, and the rest. */
const readMessages = (socket: Socket, isClient: boolean, onMessage: Handler): void => {
  let rest = Buffer.alloc(0)
  let headed = !isClient
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const offset = headed ? 1 : 0
      if (rest.length < offset + 4) return
      const end = offset + rest.readUInt32BE(offset)
      if (rest.length < end) return
      const message = rest.subarray(0, end)
      rest = rest.subarray(end)
      headed = true
      onMessage(message)
    }
  })
}

const authenticated = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

const readType = (message: Buffer): string => String.fromCharCode(message[0] ?? 0)

/** Starts a pooler. Its first client authenticates it. */
export const createTransactionPooler = async (target: number): Promise<TransactionPooler> => {
  const upstream = connect(target, '127.0.0.1')
  const clients = new Set<Socket>()
  const greeting: Buffer[] = []
  let isUp = false
  /** The client that PostgreSQL is serving; `undefined` between transactions. */
  let served: Socket | undefined
  let queue: { readonly client: Socket; readonly messages: readonly Buffer[] }[] = []

  const serveNext = (): void => {
    const next = queue.findIndex(({ client }) => served === undefined || served === client)
    const [request] = next === -1 ? [] : queue.splice(next, 1)
    if (request === undefined) return
    served = request.client
    for (const message of request.messages) upstream.write(message)
  }

  readMessages(upstream, false, (message) => {
    const type = readType(message)
    if (!isUp && (type === 'S' || type === 'K')) greeting.push(message)
    served?.write(message)
    if (type !== 'Z') return
    isUp = true
    if (String.fromCharCode(message[5] ?? 0) !== 'I') return
    served = undefined
    serveNext()
  })

  const server = createServer((client) => {
    clients.add(client)
    client.on('error', () => {})
    client.on('close', () => {
      clients.delete(client)
      queue = queue.filter((request) => request.client !== client)
    })
    const isFirst = clients.size === 1 && !isUp
    let isStarted = false
    let messages: Buffer[] = []
    readMessages(client, true, (message) => {
      if (!isStarted && !isFirst) {
        isStarted = true
        client.write(authenticated)
        for (const each of greeting) client.write(each)
        client.write(ready)
        return
      }
      isStarted = true
      if (!isUp) {
        served = client
        upstream.write(message)
        return
      }
      if (readType(message) === 'X') return
      messages.push(message)
      if (readType(message) !== 'Q' && readType(message) !== 'S') return
      queue.push({ client, messages })
      messages = []
      if (served === undefined || served === client) serveNext()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: async () => {
      for (const client of clients) client.destroy()
      upstream.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
