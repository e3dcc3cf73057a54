import { createHmac } from 'node:crypto'
import { createReferenceServer, type ReferenceServer } from '@wabakit/core'
import type { ServerExamination, Simulate } from '../../src/index.ts'

/** A broken server's behavior. Each function can delegate to the correct server. */
export type Mutation = {
  /** Responds to a request of the public API. */
  readonly api?: (request: ApiCall, respond: (changed?: ApiCall) => Promise<Response>) => Promise<Response>
  /** Sends a webhook to its endpoint. */
  readonly webhook?: (hook: Hook, send: (changed?: Hook) => Promise<Response>) => Promise<Response>
}

/** A request of the public API. */
export type ApiCall = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Headers
  /** The parsed body, or the text if it is not JSON. */
  readonly body: unknown
  readonly text: string | undefined
}

/** A webhook about to be sent. */
export type Hook = {
  readonly url: string
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

const [wabaNumber, disabledNumber, otherNumber, pstnNumber] = [
  '+15550190001',
  '+15550190002',
  '+15550190003',
  '+15550190004',
] as const
const [apiKey, otherKey, foreignKey] = [
  'wk_acceptance_0123456789',
  'wk_acceptance_other_6789',
  'wk_acceptance_foreign_89',
]
export const secret = `whsec_${Buffer.from('a secret of the acceptance tests').toString('base64')}`

/** Creates a clock that runs 10 times as fast as the machine's: a retry after 5 s takes half a second. */
const createFastClock = () => {
  const start = Date.now()
  return { now: () => start + (Date.now() - start) * 10 }
}

const parse = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return text
  }
}

/** Signs a changed webhook again, so that only the change is invalid. */
const toInit = ({ headers, body }: Hook): RequestInit => {
  const text = JSON.stringify(body)
  const content = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${text}`
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  const signed = new Headers(headers)
  if (headers.get('webhook-signature')?.startsWith('v1,')) signed.set('webhook-signature', signature)
  return { method: 'POST', headers: signed, body: text, redirect: 'manual' }
}

const createSimulation = (server: ReferenceServer, ring: (callId: string) => Promise<void>) => {
  let count = 0
  const start = async (channel: 'PSTN' | 'WHATSAPP', botTest?: { webhooks: boolean }): Promise<string> => {
    count += 1
    const isBot = count % 2 === 0 || botTest !== undefined
    const { callId } = await server.calls.start('org', {
      channel,
      direction: isBot ? 'OUTGOING' : 'INCOMING',
      channelNumber: channel === 'PSTN' ? pstnNumber : wabaNumber,
      customerNumber: '+15550190009',
      ...(isBot
        ? { callType: 'AI_BOT', triggeredVia: 'API' }
        : { callType: 'AGENT', agentNumber: '+15550190008' }),
      botTest,
    })
    return callId
  }
  const answer = async (
    callId: string,
    ending: { recorded?: boolean; spoken?: boolean } = {},
  ): Promise<void> => {
    await server.calls.accept('org', callId, { startedAt: Date.now() - 60_000 })
    await server.calls.end('org', callId, { durationInSeconds: 42, recorded: true, spoken: true, ...ending })
  }
  const save = (callId: string, recap: string, generatedBy: 'automatic' | 'team_member' = 'automatic') => {
    const summary = { recap, keyPoints: ['Order 1042'], nextSteps: ['Send the link'] }
    return server.summaries.save('org', callId, summary, { generatedBy })
  }
  const playCall: Exclude<ServerExamination['play'], string | undefined> = async ({ outcome, channel }) => {
    const callId = await start(channel)
    if (outcome === 'missed') await server.calls.miss('org', callId)
    else if (outcome === 'rejected') await server.calls.reject('org', callId)
    else {
      if (outcome === 'answered') await ring(callId)
      await answer(callId, { recorded: outcome !== 'no_recording', spoken: outcome !== 'nothing_said' })
      if (outcome === 'answered') await save(callId, 'The customer asked for order 1042.')
    }
    return callId
  }
  const steps = { joined: 'join', left: 'leave', removed: 'remove' } as const
  const simulate: Simulate = {
    regenerateSummary: async (callId) => {
      await save(callId, 'Generated again.', 'team_member')
    },
    playSilentBotTest: async () => {
      const callId = await start('PSTN', { webhooks: false })
      await answer(callId)
      await save(callId, 'A test.')
      return callId
    },
    moveParticipant: async ({ step, ...who }) => {
      await server.participants[steps[step]]('org', who)
    },
    addSubscription: async (subscription) => {
      const { id } = await server.subscriptions.create('org', {
        channel: 'WHATSAPP',
        number: otherNumber,
        secret,
        ...subscription,
      })
      return {
        wabaNumber: otherNumber,
        rotateSecret: async () => (await server.subscriptions.rotateSecret('org', id)).secret,
      }
    },
    playManualCall: async () => {
      await server.organizations.update('org', { callSummaries: 'manual' })
      const callId = await start('PSTN')
      await answer(callId)
      return callId
    },
  }
  return { play: playCall, simulate }
}

/** A call rings until its summary is fetched, but no longer than this, in milliseconds. */
const maxRingingMs = 5_000

/** Starts an in-process reference server behind a mutation, and returns the settings for examining it. */
export const startReference = async (
  mutation: Mutation = {},
): Promise<{ examination: ServerExamination; server: ReferenceServer; stop(): Promise<void> }> => {
  const server = createReferenceServer({
    clock: createFastClock(),
    allowLoopbackHttp: true,
    onError: () => {},
    rateLimit: { organization: false, key: false, ip: { requests: 100, perMs: 100 * 60 * 60_000 } },
    delivery: { pollMs: 10, leaseMs: 3_600_000, sharesFairly: false, signatureClock: { now: Date.now } },
    fetch: async (url, init) => {
      const hook: Hook = {
        url: String(url),
        headers: new Headers(init?.headers),
        body: JSON.parse(String(init?.body)),
      }
      const send = (changed?: Hook): Promise<Response> =>
        changed === undefined ? fetch(url, init) : fetch(changed.url, { ...init, ...toInit(changed) })
      return mutation.webhook === undefined ? send() : mutation.webhook(hook, send)
    },
    organizations: [
      {
        id: 'org',
        integrations: [
          { wabaNumber },
          { wabaNumber: disabledNumber, enabled: false },
          { wabaNumber: otherNumber },
        ],
        pstnNumbers: [pstnNumber],
        callSummaries: 'automatic',
        apiKeys: [{ key: apiKey }, { key: otherKey, wabaNumbers: [otherNumber] }],
      },
      { id: 'foreign', apiKeys: [{ key: foreignKey }] },
    ],
  })
  await server.ready()
  server.dispatcher.start()

  const respond = ({ method, path, query, headers, text }: ApiCall): Promise<Response> => {
    const url = `http://server.invalid${path}${query.size > 0 ? `?${query}` : ''}`
    const init = { method, headers, ...(text !== undefined && { body: text }) }
    return server.fetch(new Request(url, init), { remoteAddress: '192.0.2.1' })
  }
  const subscribe = async (listenerUrl: string): Promise<void> => {
    for (const [channel, number, path] of [
      ['WHATSAPP', wabaNumber, 'whatsapp'],
      ['PSTN', pstnNumber, 'pstn'],
    ] as const) {
      await server.subscriptions.create('org', {
        channel,
        number,
        url: `${listenerUrl}/${path}`,
        secret,
      })
    }
  }

  const fetched = new Set<string>()
  const acceptanceFetch: ServerExamination['fetch'] = async (target, init) => {
    const url = new URL(target)
    const text = typeof init.body === 'string' ? init.body : undefined
    const call: ApiCall = {
      method: init.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: new Headers(init.headers),
      body: parse(text),
      text,
    }
    const response = await (mutation.api === undefined
      ? respond(call)
      : mutation.api(call, (changed = call) => respond(changed)))
    fetched.add(url.searchParams.get('callId') ?? '')
    return response
  }
  const ring = async (callId: string): Promise<void> => {
    const endsAt = Date.now() + maxRingingMs
    while (!fetched.has(callId) && Date.now() < endsAt)
      await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const { play, simulate } = createSimulation(server, ring)
  return {
    server,
    stop: () => server.dispatcher.stop(),
    examination: {
      baseUrl: 'http://server.invalid',
      apiKey,
      otherKey,
      foreignKey,
      wabaNumber,
      disabledNumber,
      secret,
      listen: '127.0.0.1:0',
      onListening: subscribe,
      play,
      simulate,
      fetch: acceptanceFetch,
      seed: 7,
      timeoutMs: 10_000,
      retryTimeoutMs: 10_000,
      quietMs: 500,
    },
  }
}
