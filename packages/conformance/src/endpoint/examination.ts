import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventName } from '@wabakit/contract'
import { signWebhook } from '@wabakit/webhooks'
import { EffectsError } from '../errors.ts'
import { pollEffects, readEffects } from './effects.ts'
import type { Knowledge } from './knowledge.ts'
import { findLeaks } from './leaks.ts'
import { buildEvent, callInOrder, type Delivery } from './payloads.ts'
import { openAndWrite, sendBytes } from './raw.ts'
import { type Exchange, isAccepted, isLimited, type OutgoingRequest, rawMethod, sendRequest } from './send.ts'
import type { Settings } from './settings.ts'

export type GenuineDelivery = {
  readonly delivery: Delivery
  readonly timestamp: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Options for a genuine delivery. */
export type GenuineOptions = {
  /** @default the current one */
  readonly secret?: string | readonly string[] | undefined
  /** Seconds to add to the current time. */
  readonly shiftSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly parts?: readonly Uint8Array[]
}

/** The operations and settings available to a check. Its requests end when the check does. */
export type Examination = Settings & {
  readonly knowledge: Knowledge
  readonly signal: AbortSignal
  readonly exchanges: Exchange[]
  /** Builds a delivery with a new id and a new subject. */
  build(name: EventName, change?: Readonly<Record<string, unknown>>): Delivery
  /** Builds a delivery that this endpoint handles. Sends the preceding events first if the endpoint requires them. */
  prepare(name?: EventName): Promise<Delivery>
  /** Adds the headers of a genuine sender. */
  sign(delivery: Delivery, options?: GenuineOptions): Promise<GenuineDelivery>
  /** Sends a delivery and waits for the response as long as a sender would. */
  deliver(delivery: Delivery, options?: GenuineOptions): Promise<Exchange>
  send(request: Partial<OutgoingRequest>): Promise<Exchange>
  /** Sends a delivery that must be refused, and records that it must have no effect. */
  sendHostile(request: Partial<OutgoingRequest>, subject: string): Promise<Exchange>
  /** Writes bytes to a new connection and leaves it open. */
  openAndWrite(bytes: Uint8Array): Promise<Socket>
  /** Writes bytes to a new connection and resolves to the start of the response, which is empty if there was none. */
  sendBytes(bytes: Uint8Array, timeoutMs: number): Promise<string>
  countEffects(deliveries: readonly Delivery[], expected?: number): Promise<number[]>
  /** Returns the lines of a delivery's effects, with a placeholder for its subject. */
  listEffects(delivery: Delivery): Promise<string[]>
  /** Returns whether the endpoint accepts a genuine delivery, after giving it time to recover. */
  isAlive(): Promise<boolean>
  /** Returns whether `isAlive` found the endpoint dead. */
  isDown(): boolean
}

const toBody = (event: object): Buffer => Buffer.from(JSON.stringify(event))

/** Builds a delivery with a new id, of an event about a subject. */
export const buildDelivery = (
  { ids }: Pick<Settings, 'ids'>,
  event: object | Buffer,
  subject: string,
): Delivery => ({
  id: ids.createWebhookId(),
  subject,
  body: Buffer.isBuffer(event) ? event : toBody(event),
})

/** Creates the examination for one check. */
export const createExamination = (
  settings: Settings,
  { knowledge, signal }: { knowledge: Knowledge; signal: AbortSignal },
): Examination => {
  const { url, limits, ids, now, secret, credentials, effects } = settings
  const exchanges: Exchange[] = []
  let down = false

  /** Returns the time limit for responses to attacks. */
  const getAttackMs = (): number => {
    const slowest = Math.max(0, ...knowledge.controls.map(({ durationMs }) => durationMs))
    return Math.min(limits.responseMs, Math.max(limits.attackMs, 2 * slowest))
  }

  const sendWithin = async (timeoutMs: number, request: Partial<OutgoingRequest>): Promise<Exchange> => {
    const whole = { method: 'POST', headers: {}, body: new Uint8Array(), ...request }
    const exchange = await sendRequest(url, whole, { timeoutMs, signal })
    exchanges.push(exchange)
    knowledge.exchanges.push(exchange)
    for (const leak of findLeaks(exchange, settings)) knowledge.leaks.add(leak)
    return exchange
  }

  const send: Examination['send'] = (request) => sendWithin(getAttackMs(), request)

  /** Records raw bytes as an exchange, including the response head if one was awaited. */
  const recordBytes = (bytes: Uint8Array, head = ''): void => {
    const [line, status] = /^HTTP\/1\.[01] (\d{3}).*/.exec(head) ?? []
    exchanges.push({
      request: { method: rawMethod, headers: {}, body: bytes },
      ...{ status: status === undefined ? undefined : Number(status), headers: {}, body: line ?? '' },
      ...{ error: 'none was awaited, or the connection closed', timedOut: false, connected: true },
      durationMs: 0,
    })
  }

  const sendHostile: Examination['sendHostile'] = async (request, subject) => {
    const exchange = await send(request)
    if (exchange.status !== undefined && exchange.status >= 400) knowledge.refusedSubjects.add(subject)
    return exchange
  }

  const sign: Examination['sign'] = async (delivery, options = {}) => {
    const { id, body } = delivery
    const timestamp = Math.floor(now() / 1_000) + (options.shiftSeconds ?? 0)
    const secrets = options.secret ?? secret
    const signed =
      secrets === undefined
        ? { 'webhook-id': id, 'webhook-timestamp': String(timestamp) }
        : (await signWebhook({ payload: body, secret: secrets, id, timestamp, allowShortSecrets: true }))
            .headers
    const headers = { 'content-type': 'application/json', ...signed, ...credentials, ...options.headers }
    return { delivery, timestamp: String(timestamp), headers, body }
  }

  const deliver: Examination['deliver'] = async (delivery, options = {}) => {
    const { headers, body } = await sign(delivery, options)
    return sendWithin(limits.responseMs, { headers, body, parts: options.parts })
  }

  const build: Examination['build'] = (name, change = {}) => {
    const subject = ids.createSubject()
    return buildDelivery(settings, { ...buildEvent(name, subject), ...change }, subject)
  }

  const prepare: Examination['prepare'] = async (name = knowledge.effectName ?? 'CALL_AI_SUMMARY') => {
    const delivery = build(name)
    if (!knowledge.needsPredecessors || name !== 'CALL_AI_SUMMARY') return delivery
    for (const earlier of callInOrder.slice(0, -1)) {
      await deliver(buildDelivery(settings, buildEvent(earlier, delivery.subject), delivery.subject))
    }
    return delivery
  }

  const poll = async (subjects: readonly string[], expected: number): Promise<number[]> => {
    if (effects === undefined) throw new EffectsError('there is no --effects')
    const startedAt = performance.now()
    const counts = await pollEffects(effects, subjects, {
      isEnough: (latest) => latest.every((count) => count >= expected + knowledge.effectsBefore),
      settleMs: Math.min(limits.firstEffectMs, Math.max(limits.settleMs, 1.5 * knowledge.effectLatencyMs)),
      effectMs: Math.max(limits.effectMs, 3 * knowledge.effectLatencyMs),
      signal,
    })
    knowledge.waitedMs += performance.now() - startedAt
    return counts
  }

  return {
    ...settings,
    knowledge,
    signal,
    exchanges,
    build,
    sign,
    deliver,
    send,
    sendHostile,
    openAndWrite: (bytes) => {
      recordBytes(bytes)
      return openAndWrite(url, bytes)
    },
    sendBytes: async (bytes, timeoutMs) => {
      const head = await sendBytes(url, bytes, timeoutMs)
      recordBytes(bytes, head)
      return head
    },
    prepare,
    countEffects: async (deliveries, expected = 1) => {
      const subjects = deliveries.map(({ subject }) => subject)
      const counts = await poll(subjects, expected)
      return counts.map((count) => Math.max(0, count - knowledge.effectsBefore))
    },
    listEffects: async ({ subject }) => {
      if (effects === undefined) throw new EffectsError('there is no --effects')
      const lines = (await readEffects(effects, signal)).split('\n')
      return lines.filter((line) => line.includes(subject)).map((line) => line.replaceAll(subject, '…'))
    },
    isAlive: async () => {
      const endsAt = performance.now() + limits.recoverMs
      for (;;) {
        const exchange = await deliver(await prepare('CALL_AI_SUMMARY'))
        if (isAccepted(exchange)) return true
        if (signal.aborted) return false
        if (performance.now() >= endsAt) {
          down = !isLimited(exchange)
          return !down
        }
        await sleep(100)
      }
    },
    isDown: () => down,
  }
}
