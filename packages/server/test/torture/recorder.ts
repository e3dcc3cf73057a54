import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Arrival, openLines } from './lines.ts'

/** How an endpoint answers an arrival; `nth` counts those of the same event, from 1. */
export type Behavior = (response: ServerResponse, nth: number) => unknown

/** An endpoint that writes down what arrives. */
export type Recorder = {
  readonly url: string
  /** Paths that were asked for. */
  readonly paths: ReadonlySet<string>
  /** How many attempts it is busy with. */
  readonly open: () => number
  /** Answers in another way from now on. */
  behave(behavior: Behavior): void
  close(): Promise<void>
}

/** Calls `ended` when a request was answered, or its sender has gone. */
const onEnd = (request: IncomingMessage, response: ServerResponse, ended: () => void): void => {
  const { socket } = request
  const end = (): void => {
    socket.off('end', end)
    response.off('close', end)
    ended()
  }
  socket.on('end', end)
  response.on('close', end)
}

/** Starts an endpoint on loopback, which writes arrivals to a file. */
export const startRecorder = async (arrivals: string, first: Behavior): Promise<Recorder> => {
  const lines = openLines<Arrival>(arrivals)
  let behave = first
  const paths = new Set<string>()
  const arrived = new Map<string, number>()
  let open = 0
  const server = createServer(async (request, response) => {
    const header = (name: string): string => String(request.headers[name])
    const id = header('webhook-id')
    open++
    onEnd(request, response, () => {
      open--
    })
    paths.add(request.url ?? '')
    const body = await text(request).catch(() => undefined)
    // Cut off halfway: the sender died, and nothing has arrived.
    if (body === undefined || !request.complete) return
    const nth = (arrived.get(id) ?? 0) + 1
    arrived.set(id, nth)
    const [timestamp, signature] = [header('webhook-timestamp'), header('webhook-signature')]
    lines.append({ path: request.url ?? '', id, timestamp, signature, body })
    behave(response, nth)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    paths,
    open: () => open,
    behave: (behavior) => {
      behave = behavior
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      lines.close()
    },
  }
}
