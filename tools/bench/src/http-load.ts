import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type LoadRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const lineEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

const isComplete = (response: Buffer): boolean => {
  const headEnd = response.indexOf(lineEnd)
  if (headEnd === -1) return false
  const head = response.toString('latin1', 0, headEnd).toLowerCase()
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1]
  return length === undefined
    ? response.subarray(-5).equals(lastChunk)
    : response.length >= headEnd + 4 + Number(length)
}

const serialize = ({ url, headers, body }: LoadRequest): string => {
  const { host, pathname } = new URL(url)
  const allHeaders = { host, 'content-length': String(Buffer.byteLength(body)), ...headers }
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${pathname} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

/**
 * Creates a client that sends the same request again and again. It writes prepared bytes to sockets, and searches only
 * for the end of each response, so that it needs less CPU time than the measured servers.
 */
export const createHttpLoad = (request: LoadRequest, connections: number) => {
  const bytes = Buffer.from(serialize(request))
  const { hostname, port } = new URL(request.url)
  let sockets: Socket[] = []
  const close = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets = []
  }

  const exchange = (socket: Socket, next: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      let response: Buffer = Buffer.alloc(0)
      const send = (): void => {
        if (next()) return void socket.write(bytes)
        socket.off('data', onData)
        resolve()
      }
      const onData = (data: Buffer) => {
        response = response.length === 0 ? data : Buffer.concat([response, data])
        if (!isComplete(response)) return
        if (response.toString('latin1', 9, 12) !== '200')
          return reject(new Error(`The response is not 200: ${response.toString()}`))
        response = Buffer.alloc(0)
        send()
      }
      socket.on('data', onData)
      send()
    })

  return {
    /** Replaces the connections, because servers close idle ones. */
    connect: async (): Promise<void> => {
      close()
      for (let index = 0; index < connections; index += 1) {
        const socket = connect({ host: hostname, port: Number(port), noDelay: true })
        await once(socket, 'connect')
        sockets.push(socket)
      }
    },
    /** Sends `count` requests, one after another on each connection. Rejects if a response is not 200. */
    run: async (count: number): Promise<void> => {
      let sent = 0
      await Promise.all(sockets.map((socket) => exchange(socket, () => sent++ < count)))
    },
    close,
  }
}
