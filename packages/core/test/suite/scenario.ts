import { reasonPhrases } from '@wabakit/contract'
import {
  createReferenceServer,
  type LoadedDelivery,
  type Publication,
  type ReferenceServer,
  type ReferenceServerOptions,
} from '@wabakit/core'
import { equal, explains, includes, ok } from '../store-cases/assert.ts'
import { getStage } from './stage.ts'

/** The start: 1 January 2026. */
export const start = Date.UTC(2026, 0, 1)

export const waba = '+1 (555) 010-0001'
export const secondWaba = '+1 555 010 0003'
export const disabledWaba = '+15550100009'
export const pstn = '+1 555-010-0002'
export const customer = '+49 30 901820'
export const agent = '+49 30 901821'
export const summary = { recap: 'They agreed.', keyPoints: ['Price'], nextSteps: ['Send the offer'] }

/** An attempt that the endpoint received. */
export type Sent = {
  readonly at: number
  readonly url: string
  readonly event: string
  readonly headers: Headers
  readonly body: string
  readonly attempted: LoadedDelivery
}

export type ManualClock = { time: number; now(): number }

/** Creates a deterministic random generator (mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The organization under test. */
export const acme = {
  id: 'acme',
  integrations: [
    { wabaNumber: waba },
    { wabaNumber: secondWaba, joinApprovalMode: 'approval_required' },
    { wabaNumber: disabledWaba, enabled: false },
  ],
  pstnNumbers: [pstn],
  apiKeys: [{ key: 'wk_all_0123456789' }, { key: 'wk_second_0123456789', wabaNumbers: [secondWaba] }],
} as const

/** Another organization. */
export const other = {
  id: 'other',
  integrations: [{ wabaNumber: '+15550200001' }],
  pstnNumbers: ['+15550200002'],
  apiKeys: [{ key: 'wk_other_0123456789' }],
} as const

/** A server with a virtual clock, its published events, and an endpoint that records attempts. */
export type Scenario = {
  readonly server: ReferenceServer
  readonly clock: ManualClock
  readonly publications: Publication[]
  readonly sent: Sent[]
  readonly errors: unknown[]
  /** Sends a request to the server. */
  readonly send: (request: Request, remoteAddress?: string) => Promise<Response>
  /** Responds for the endpoint. */
  respond: (sent: Sent) => Response | Promise<Response>
  /** Returns the names of the published events. */
  names(): string[]
  /** Subscribes the endpoint to all events of a number. */
  subscribe(channel?: 'PSTN' | 'WHATSAPP', number?: string): Promise<string>
  /** Advances the clock, and sends each delivery when it is due. */
  advance(ms: number): Promise<void>
}

export const createScenario = async (options: Partial<ReferenceServerOptions> = {}): Promise<Scenario> => {
  const clock: ManualClock = { time: start, now: () => clock.time }
  const publications: Publication[] = []
  const sent: Sent[] = []
  const errors: unknown[] = []
  const stage = getStage()
  const server = createReferenceServer({
    store: options.store ?? (await stage.openStore()),
    organizations: [acme, other],
    clock,
    random: seeded(7),
    rateLimit: false,
    onError: (error) => errors.push(error),
    fetch: (url, request, attempted) =>
      stage.deliver(request, async (headers, body) => {
        const one = { at: clock.time, url, event: attempted.event.name, headers, body, attempted }
        sent.push(one)
        return scenario.respond(one)
      }),
    ...options,
  })
  server.on('*', (_, publication) => publications.push(publication))
  const scenario: Scenario = {
    server,
    clock,
    publications,
    sent,
    errors,
    send: stage.serve(server),
    respond: () => new Response('ok'),
    names: () => publications.map(({ event }) => event.event),
    subscribe: async (channel = 'WHATSAPP', number = channel === 'PSTN' ? pstn : waba) => {
      const { id } = await server.subscriptions.create('acme', {
        channel,
        number,
        url: 'https://receiver.example/',
      })
      return id
    },
    advance: async (ms) => {
      const end = clock.time + ms
      for (;;) {
        await server.dispatcher.runDue()
        const next = await server.dispatcher.nextDueAt()
        if (next === undefined || next > end) break
        clock.time = Math.max(clock.time, next)
      }
      clock.time = end
    },
  }
  await server.ready()
  return scenario
}

/** Changes to a valid request. */
export type RequestChanges = {
  readonly key?: string | null
  readonly headers?: Record<string, string>
  readonly remoteAddress?: string
}

/** A valid create request. */
export const createBody = { wabaNumber: '15550100001', subject: 'Launch' }

const keyHeader = (key: string | null | undefined): Record<string, string> =>
  key === null ? {} : { authorization: key ?? 'wk_all_0123456789' }

/** Calls the create endpoint. A string is sent unchanged, anything else as JSON. */
export const postGroup = (
  { send }: Scenario,
  body: unknown = createBody,
  { key, headers = {}, remoteAddress }: RequestChanges = {},
): Promise<Response> => {
  const request = new Request('https://api.example.com/whatsapp/wa-group/create', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...keyHeader(key), ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
  })
  return send(request, remoteAddress)
}

/** Calls the summary endpoint. */
export const getSummary = (
  { send }: Scenario,
  callId: string | undefined,
  { key, headers = {}, remoteAddress }: RequestChanges = {},
): Promise<Response> => {
  const url = new URL('https://api.example.com/v1/call/ai-summary')
  if (callId !== undefined) url.searchParams.set('callId', callId)
  return send(new Request(url, { headers: { ...keyHeader(key), ...headers } }), remoteAddress)
}

/** Expects a response with an error body with this code. */
export const expectError = async (
  response: Response,
  status: number,
  code: string,
  paths?: readonly string[],
): Promise<Record<string, unknown>> => {
  const body = (await response.json()) as Record<string, unknown>
  equal([response.status, body.code], [status, code], JSON.stringify(body))
  includes(body, { statusCode: status })
  equal(body.error, (reasonPhrases as Readonly<Record<number, string>>)[status])
  equal(response.headers.get('content-type'), 'application/json')
  ok(response.headers.has('x-request-id'), 'it has a request id')
  ok(!JSON.stringify(body).includes('wk_'), 'no key is repeated')
  explains(body)
  ok(!('issues' in body) || (Array.isArray(body.issues) && body.issues.length > 0), 'no empty list of issues')
  const issues = (body.issues ?? []) as Array<{ path: string; message: string }>
  if (paths !== undefined)
    equal(
      issues.map(({ path }) => path),
      paths,
    )
  return body
}

/** Expects that nothing was stored and nothing happened. */
export const expectNothing = async (scenario: Scenario): Promise<void> => {
  equal(scenario.names(), [])
  equal((await scenario.server.events.list('acme')).items, [])
  equal((await scenario.server.events.list('other')).items, [])
}

/** Options for a simulated call. */
export type PlayedCall = {
  readonly channel?: 'PSTN' | 'WHATSAPP'
  readonly number?: string
  readonly callId?: string
  readonly direction?: 'INCOMING' | 'OUTGOING'
}

/** Simulates an answered call. */
export const playCall = async (scenario: Scenario, played: PlayedCall = {}): Promise<string> => {
  const { channel = 'PSTN', direction = 'INCOMING', callId } = played
  const channelNumber = played.number ?? (channel === 'PSTN' ? pstn : waba)
  const { calls } = scenario.server
  const call = await calls.start('acme', {
    callId,
    channel,
    direction,
    channelNumber,
    customerNumber: customer,
  })
  await calls.accept('acme', call.callId, { startedAt: scenario.clock.time - 42_000 })
  await calls.end('acme', call.callId, { durationInSeconds: 42 })
  return call.callId
}
