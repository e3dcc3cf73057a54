import { setTimeout as sleep } from 'node:timers/promises'
import { signWebhook } from '@wabakit/webhooks'
import { malformedRequests, sendBytes } from '../../packages/webhooks/test/malformed-requests.ts'
import type { Framework, Route } from './frameworks.ts'
import type { Started } from './start.ts'

const createSummary = (callId: string) => ({
  event: 'CALL_AI_SUMMARY',
  channel: 'WHATSAPP',
  callId,
  callDirection: 'INCOMING',
  callStatus: 'END',
  durationInSeconds: 42,
  callStartedAt: '2026-01-01T10:00:00Z',
  callEndedAt: '2026-01-01T10:00:42Z',
  from: '+14155550100',
  to: '+14155550123',
  channelNumber: '+14155550100',
  customerNumber: '+14155550123',
  callType: 'AI_BOT',
  triggeredVia: 'API',
  summary: { recap: 'Grüße aus Köln 👋', keyPoints: ['a/b'], nextSteps: [] },
})

/** A signed delivery. Its URL has a token, so that either kind of receiver accepts it. */
const sign = async (callId: string, secret: string) => {
  const payload = JSON.stringify(createSummary(callId))
  const { headers } = await signWebhook({ payload, secret })
  return { method: 'POST', body: payload, headers }
}

type Delivery = { readonly method: string; readonly body: string; readonly headers: Record<string, string> }

const expectStatus = async (response: Response, status: number): Promise<string> => {
  const text = await response.text()
  if (response.status !== status)
    throw new Error(`responded ${response.status} instead of ${status}: ${text}`)
  return text
}

const newCallId = (): string => `call-${crypto.randomUUID()}`

/** The parts of a framework that the script needs. */
export type Target = Started & {
  readonly framework: Framework
  readonly route: Route
  readonly secret: string
}

const send = (
  { port, secret }: Pick<Target, 'port' | 'secret'>,
  path: string,
  { token = secret, ...delivery }: Delivery & { readonly token?: string },
): Promise<Response> => fetch(`http://localhost:${port}${path}?token=${encodeURIComponent(token)}`, delivery)

const countHandled = (target: Target, callId: string): number =>
  target.readOutput().split(`${callId} Grüße aus Köln 👋`).length - 1

const waitForHandled = async (target: Target, callId: string): Promise<void> => {
  for (let attempt = 0; countHandled(target, callId) === 0; attempt += 1) {
    if (attempt === 100) throw new Error('the handler printed nothing')
    await sleep(50)
  }
}

const receiveGenuine = async (target: Target): Promise<{ callId: string; delivery: Delivery }> => {
  const callId = newCallId()
  const delivery = await sign(callId, target.secret)
  await expectStatus(await send(target, target.route.path, delivery), 200)
  await waitForHandled(target, callId)
  return { callId, delivery }
}

/** The checks for a receiver behind a framework. Each rejects if the receiver fails it. */
export const checks = {
  /** Runs without a secret, while the other checks have one. */
  secret: async (target) => {
    await expectStatus(await send(target, target.route.path, await sign(newCallId(), target.secret)), 503)
  },

  genuine: receiveGenuine,

  forged: async (target) => {
    const delivery = await sign(newCallId(), target.secret)
    const forged = { ...delivery, token: `${target.secret}x`, body: delivery.body.replace('42', '43') }
    const text = await expectStatus(await send(target, target.route.path, forged), 401)
    if (!['wrong_token', 'no_matching_signature'].includes(JSON.parse(text).code))
      throw new Error(`responded ${text}`)
  },

  duplicate: async (target) => {
    const { callId, delivery } = await receiveGenuine(target)
    await expectStatus(await send(target, target.route.path, delivery), 200)
    await receiveGenuine(target)
    if (countHandled(target, callId) !== 1) throw new Error('the handler was called twice')
  },

  /** What a live service sends, whose URL alone authenticates it. */
  live: async (target) => {
    const callId = newCallId()
    const post = async (fields: object): Promise<void> => {
      const headers = { 'content-type': 'application/json' }
      const delivery = { method: 'POST', headers, body: JSON.stringify(fields) }
      await expectStatus(await send(target, target.route.path, delivery), 200)
    }
    const summary = { ...createSummary(callId), agentNumber: null }
    await post({ event: 'GROUP_CREATED', groupId: null, groupName: null })
    await post(summary)
    await waitForHandled(target, callId)
    await post(summary)
    await receiveGenuine(target)
    if (countHandled(target, callId) !== 1) throw new Error('the handler was called twice')
  },

  early: async (target) => {
    const { earlyPath } = target.framework
    if (earlyPath === undefined) return
    const callId = newCallId()
    await expectStatus(await send(target, earlyPath, await sign(callId, target.secret)), 200)
    if (countHandled(target, callId) > 0) throw new Error('the response waited for the handler')
    await waitForHandled(target, callId)
    if (target.readOutput().includes('Pass waitUntil')) throw new Error('a warning was printed')
  },

  /** The event with which people test a function. It has no signature. */
  testEvent: async (target) => {
    const { testEventPath } = target.framework
    if (testEventPath === undefined) return
    await expectStatus(await fetch(`http://localhost:${target.port}${testEventPath}`), 200)
  },

  parsed: async (target) => {
    const { bytesAreKept } = target.framework
    const response = await send(target, target.route.parsedPath, await sign(newCallId(), target.secret))
    const text = await expectStatus(response, bytesAreKept ? 200 : 400)
    if (!bytesAreKept && JSON.parse(text).code !== 'body_was_parsed') throw new Error(`responded ${text}`)
  },

  malformed: async (target) => {
    // Some servers leave a few of these connections open.
    await Promise.allSettled(
      malformedRequests.map(({ bytes }) =>
        sendBytes(target.port, bytes.replace(' / ', ` ${target.route.path} `)),
      ),
    )
    await receiveGenuine(target)
  },
} satisfies Record<string, (target: Target) => Promise<unknown>>
