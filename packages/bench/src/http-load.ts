import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** One request that is sent again and again. */
export type LoadRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends requests over connections that are kept. */
export type HttpLoad = {
  /** Sends so many requests, one at a time on each connection. Rejects at the first answer that is not 200. */
  run(count: number): Promise<void>
  close(): void
}

const lineEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

/** Whether the bytes are one whole answer. */
const isComplete = (answer: Buffer): boolean => {
  const headEnd = answer.indexOf(lineEnd)
  if (headEnd === -1) return false
  const head = answer.toString('latin1', 0, headEnd).toLowerCase()
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1]
  return length === undefined
    ? answer.subarray(-5).equals(lastChunk)
    : answer.length >= headEnd + 4 + Number(length)
}

const serialize = ({ url, headers, body }: LoadRequest): string => {
  const { host, pathname } = new URL(url)
  const all = { host, 'content-length': String(Buffer.byteLength(body)), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${pathname} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

/**
 * Makes a load. It writes prepared bytes to plain sockets and looks only for the end of each answer, so that it costs
 * less than the servers it measures.
 */
export const createHttpLoad = async (request: LoadRequest, connections: number): Promise<HttpLoad> => {
  const bytes = Buffer.from(serialize(request))
  const { hostname, port } = new URL(request.url)
  const sockets: Socket[] = []
  for (let index = 0; index < connections; index += 1) {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    sockets.push(socket)
  }

  const exchange = (socket: Socket, next: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      let answer: Buffer = Buffer.alloc(0)
      const send = (): void => {
        if (next()) socket.write(bytes)
        else finish()
      }
      const finish = (): void => {
        socket.off('data', onData)
        resolve()
      }
      const onData = (data: Buffer): void => {
        answer = answer.length === 0 ? data : Buffer.concat([answer, data])
        if (!isComplete(answer)) return
        if (answer.toString('latin1', 9, 12) === '200') {
          answer = Buffer.alloc(0)
          send()
          return
        }
        socket.off('data', onData)
        reject(new Error(`answered ${answer.toString()}`))
      }
      socket.on('data', onData)
      send()
    })

  return {
    run: async (count) => {
      let sent = 0
      await Promise.all(sockets.map((socket) => exchange(socket, () => sent++ < count)))
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}
