import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The secrets of all endpoints under test. */
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
export const previousSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDGZ2xbO0ZmZk='

/** A request whose body has been read. */
export type Incoming = { readonly request: IncomingMessage; readonly body: Buffer }

/** The parts of an endpoint. Each can be replaced by one with a mistake. */
export type Parts = {
  /** Handles the raw request before anything is read. Returns `true` if it responded. */
  first(request: IncomingMessage, response: ServerResponse, server: Server): boolean | undefined
  read(request: IncomingMessage): Promise<Buffer>
  method: string | undefined
  /** Returns the reason to refuse a request. */
  verify(incoming: Incoming): string | undefined | Promise<string | undefined>
  parse(body: Buffer): unknown
  /** Returns the reason to refuse an event. */
  validate(event: Record<string, unknown>): string | undefined
  /** Returns whether the delivery was handled before. */
  isDuplicate(id: string): boolean | Promise<boolean>
  handle(event: Record<string, unknown>, id: string): void | Promise<void>
  respond(response: ServerResponse, status: number, text: string): void
  /** Runs all parts in the right order. */
  receive(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void>
}

class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const toKey = (text: string): Buffer => Buffer.from(text.replace('whsec_', ''), 'base64')

export const header = (request: IncomingMessage, name: string): string => String(request.headers[name] ?? '')

export const sign = (key: string | Buffer, head: string, body: string | Buffer): string =>
  createHmac('sha256', key).update(head).update(body).digest('base64')

const equals = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))

/** Replaceable parts of a correct verification. */
export type Verification = {
  readonly secrets: readonly (string | Buffer)[]
  compare(given: string, expected: string): boolean
  split(header: string): string[]
  content(id: string, timestamp: string): string
  body(body: Buffer): string | Buffer
  isTimely(timestamp: string): boolean
}

/** Creates a Standard Webhooks verification that is correct except for the replaced parts. */
export const createVerify = (mistakes: Partial<Verification> = {}): Parts['verify'] => {
  const { secrets, compare, split, content, body, isTimely }: Verification = {
    secrets: [toKey(secret), toKey(previousSecret)],
    compare: equals,
    split: (text) => text.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : [])),
    content: (id, timestamp) => `${id}.${timestamp}.`,
    body: (bytes) => bytes,
    isTimely: (timestamp) => /^\d+$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) < 300,
    ...mistakes,
  }
  return ({ request, body: bytes }) => {
    const [id, timestamp] = [header(request, 'webhook-id'), header(request, 'webhook-timestamp')]
    if (id === '' || timestamp === '') return 'missing header'
    if (!isTimely(timestamp)) return 'wrong time'
    const signatures = split(header(request, 'webhook-signature'))
    const matches = secrets.some((key) => {
      const expected = sign(key, content(id, timestamp), body(bytes))
      return signatures.some((given) => compare(given, expected))
    })
    return matches ? undefined : 'no matching signature'
  }
}

const maxBytes = 1_048_576

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > maxBytes) throw new Refusal(413, 'too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new Refusal(400, 'not JSON')
  }
}

const receive: Parts['receive'] = async (parts, request, response) => {
  try {
    if (request.method !== 'POST') throw new Refusal(405, 'POST alone')
    const body = await parts.read(request)
    const reason = await parts.verify({ request, body })
    if (reason !== undefined) throw new Refusal(401, reason)
    const event = parts.parse(body)
    if (typeof event !== 'object' || event === null || Array.isArray(event))
      throw new Refusal(400, 'no event')
    const record = event as Record<string, unknown>
    const problem = parts.validate(record)
    if (problem !== undefined) throw new Refusal(422, problem)
    const id = header(request, 'webhook-id')
    if (!(await parts.isDuplicate(id))) await parts.handle(record, id)
    parts.respond(response, 200, 'ok')
  } catch (error) {
    const status = error instanceof Refusal ? error.status : 500
    parts.respond(response, status, error instanceof Refusal ? error.message : 'failed')
  }
}

/** A running endpoint and its effects. */
export type Endpoint = AsyncDisposable & { readonly url: string; readonly effects: string[] }

/** Listens on a free loopback port. */
export const listen = async (server: Server, effects: string[] = []): Promise<Endpoint> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    effects,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      if (server.listening) await new Promise((closed) => server.close(closed))
    },
  }
}

/** The tools for planting a mistake: the effects and the correct parts. */
export type Tools = { readonly effects: string[]; readonly right: Parts }

/** Starts an endpoint whose only mistake is the given one. */
export const startEndpoint = (plant: (tools: Tools) => Partial<Parts> = () => ({})): Promise<Endpoint> => {
  const effects: string[] = []
  const seen = new Set<string>()
  const right: Parts = {
    first: () => undefined,
    read,
    method: 'POST',
    verify: createVerify(),
    parse,
    validate: () => undefined,
    isDuplicate: (id) => seen.size === seen.add(id).size,
    handle: (event) => {
      const subject = event.callId ?? event.groupId
      // Like INSERT … ON CONFLICT DO NOTHING.
      const line = `${event.event} ${subject}`
      if (!effects.includes(line)) effects.push(line)
    },
    respond: (response, status, text) => {
      if (!response.headersSent) response.writeHead(status, { connection: 'close' }).end(text)
    },
    receive,
  }
  const parts = { ...right, ...plant({ effects, right }) }
  const server = createServer((request, response) => {
    if (parts.first(request, response, server)) return
    void parts.receive(parts, request, response)
  })
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  })
  return listen(server, effects)
}
