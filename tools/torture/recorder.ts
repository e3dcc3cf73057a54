import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Arrival, openLines } from './lines.ts'

/** Responds to an arrival. `nth` counts the arrivals of the same event, from 1. */
export type Behavior = (response: ServerResponse, nth: number) => unknown

/** An endpoint that records arrivals. */
export type Recorder = {
  readonly url: string
  /** The requested paths. */
  readonly paths: ReadonlySet<string>
  /** Returns the number of attempts without a response. */
  readonly open: () => number
  /** Sets the behavior for later arrivals. */
  behave(behavior: Behavior): void
  close(): Promise<void>
}

/** Calls `ended` when a request has a response or its sender has disconnected. */
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

/** Starts an endpoint on loopback that writes arrivals to a file. */
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
    // An incomplete request does not count as an arrival: its sender has died.
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
