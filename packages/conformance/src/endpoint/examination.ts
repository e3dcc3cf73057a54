import type { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventName } from '@wabakit/contract'
import { signWebhook } from '@wabakit/webhooks'
import { EffectsError } from '../errors.ts'
import { type EffectsSource, pollEffects, readEffects } from './effects.ts'
import type { Knowledge } from './knowledge.ts'
import { buildEvent, callInOrder, type Delivery } from './payloads.ts'
import { openAndWrite, sendBytes } from './raw.ts'
import {
  type Exchange,
  isAccepted,
  isShielded,
  type OutgoingRequest,
  pieceBytes,
  rawMethod,
  sendRequest,
} from './send.ts'
import type { ExaminationSettings } from './settings.ts'

type GenuineOptions = {
  /** @default the current one */
  readonly secret?: string | readonly string[] | undefined
  /** Seconds to add to the current time. */
  readonly shiftSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly parts?: readonly Uint8Array[] | undefined
  readonly agent?: Agent | undefined
}

/** Maximum time that a busy machine may hold up a body that is sent in pieces, in milliseconds. Beyond it, a 5xx proves nothing. */
const maxHeldUpMs = 2_000

/** The operations and settings available to a check. Requests are aborted when the check ends. */
export type Examination = ReturnType<typeof createExamination>

/** Builds a delivery of an event about a subject, with a new id. */
export const buildDelivery = (
  { ids }: Pick<ExaminationSettings, 'ids'>,
  event: object | string | Buffer,
  subject: string,
): Delivery => {
  const body = Buffer.isBuffer(event)
    ? event
    : Buffer.from(typeof event === 'string' ? event : JSON.stringify(event))
  return { id: ids.createWebhookId(), subject, body }
}

export const createExamination = (
  settings: ExaminationSettings,
  {
    checkId,
    knowledge,
    signal,
    onWait,
  }: {
    checkId: string
    knowledge: Knowledge
    signal: AbortSignal
    /** Called with what the check waits for. */
    onWait?: ((what: string) => void) | undefined
  },
) => {
  const { url, limits, ids, now, secret, credentials, clock } = settings
  const exchanges: Exchange[] = []
  let down = false
  let starved = false
  let missed = false

  /** When a time limit has run out, notes whether this machine was too busy for that to prove anything. */
  const noteTimeOut = (): void => {
    starved ||= clock.isTooBusy()
  }

  const getAttackMs = (): number => {
    const slowest = Math.max(0, ...knowledge.controls.map(({ durationMs }) => durationMs))
    return Math.min(limits.responseMs, Math.max(limits.attackMs, 2 * slowest))
  }

  const sendWithin = async (
    timeoutMs: number,
    request: Partial<OutgoingRequest>,
    waits?: string,
  ): Promise<Exchange> => {
    const whole = { method: 'POST', headers: {}, body: new Uint8Array(), ...request }
    const startedAt = performance.now()
    const exchange = await sendRequest(url, whole, { timeoutMs, signal, clock, waits })
    exchanges.push(exchange)
    knowledge.exchanges.push({ ...exchange, checkId })
    if (exchange.timedOut) noteTimeOut()
    // The endpoint may have failed because the body did not arrive within its own time limit.
    const isInPieces = whole.parts !== undefined || whole.body.length > pieceBytes
    const heldUpMs = performance.now() - startedAt - exchange.durationMs
    starved ||= isInPieces && (exchange.status ?? 0) >= 500 && heldUpMs > maxHeldUpMs
    return exchange
  }

  const send = (request: Partial<OutgoingRequest>, timeoutMs = getAttackMs()): Promise<Exchange> =>
    sendWithin(timeoutMs, request)

  /** Records raw bytes as an exchange, with the status line of the response if one arrived. */
  const recordBytes = (bytes: Uint8Array, head = ''): void => {
    const [line, status] = /^HTTP\/1\.[01] (\d{3}).*/.exec(head) ?? []
    exchanges.push({
      request: { method: rawMethod, headers: {}, body: bytes },
      status: status === undefined ? undefined : Number(status),
      headers: {},
      body: line ?? '',
      error: status === undefined ? 'none was awaited, or none arrived' : undefined,
      timedOut: false,
      connected: true,
      durationMs: 0,
    })
  }

  /** Adds the headers of a genuine sender. One that does not sign sends no id either. */
  const sign = async (delivery: Delivery, options: GenuineOptions = {}) => {
    const { id, body } = delivery
    const timestamp = Math.floor(now() / 1_000) + (options.shiftSeconds ?? 0)
    const secrets = options.secret ?? secret
    const signed =
      secrets === undefined
        ? {}
        : (await signWebhook({ payload: body, secret: secrets, id, timestamp, allowShortSecrets: true }))
            .headers
    const headers: Readonly<Record<string, string>> = {
      'content-type': 'application/json',
      ...signed,
      ...credentials,
      ...options.headers,
    }
    return { delivery, timestamp: String(timestamp), headers, body }
  }

  /** Sends a delivery and waits for the response as long as a sender would. */
  const deliver = async (delivery: Delivery, options: GenuineOptions = {}): Promise<Exchange> => {
    const { headers, body } = await sign(delivery, options)
    const { parts, agent } = options
    return sendWithin(limits.responseMs, { headers, body, parts, agent }, 'the time-out of a sender')
  }

  /** Builds a delivery with a new id and a new subject. */
  const build = (name: EventName, change: Readonly<Record<string, unknown>> = {}): Delivery => {
    const subject = ids.createSubject()
    return buildDelivery(settings, { ...buildEvent(name, subject), ...change }, subject)
  }

  /**
   * Builds a delivery, by default of an event that has an effect. Before a summary, sends the earlier events of its call if the
   * endpoint needs them.
   */
  const prepare = async (name: EventName = knowledge.effectName ?? 'CALL_AI_SUMMARY'): Promise<Delivery> => {
    const delivery = build(name)
    if (!knowledge.needsPredecessors || name !== 'CALL_AI_SUMMARY') return delivery
    for (const earlier of callInOrder.slice(0, -1)) {
      await deliver(buildDelivery(settings, buildEvent(earlier, delivery.subject), delivery.subject))
    }
    return delivery
  }

  const getEffects = (): EffectsSource => {
    if (settings.effects === undefined) throw new EffectsError('there is no --effects')
    return settings.effects
  }

  /** How effects are read. If they could not be read for a while, only one more attempt is made each time. */
  const getReader = () => ({
    signal,
    clock,
    retryReadMs: knowledge.effectsUnreadable ? 0 : limits.effectMs,
  })

  /** Reads effects, and gives the run the time that this takes, also if it fails. */
  const readWhile = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    const startedAt = clock.now()
    try {
      const result = await read()
      knowledge.effectsUnreadable = false
      return result
    } catch (error) {
      knowledge.effectsUnreadable = true
      throw error
    } finally {
      knowledge.waitedMs += clock.now() - startedAt
    }
  }

  /** How long to wait for effects, once it is known how long those of the first delivery took. */
  const getEffectMs = (): number => Math.max(limits.effectMs, 3 * knowledge.effectWithinMs)

  /** Waits a while for the expected number of effects of each delivery, and then until the numbers have settled. */
  const awaitEffects = async (
    deliveries: readonly Delivery[],
    {
      expected,
      settleMs,
      effectMs = getEffectMs(),
    }: { readonly expected: readonly number[]; readonly settleMs: number; readonly effectMs?: number },
  ): Promise<number[]> => {
    const subjects = deliveries.map(({ subject }) => subject)
    const isReached = (count: number, index: number): boolean =>
      count >= (expected[index] ?? 0) + knowledge.effectsBefore
    onWait?.('effects')
    const counts = await readWhile(() =>
      pollEffects(getEffects(), subjects, {
        isEnough: (latest) => latest.every(isReached),
        settleMs,
        effectMs,
        pauseMs: Math.max(10, knowledge.effectLatencyMs / 10),
        ...getReader(),
      }),
    )
    if (!counts.every(isReached)) {
      missed = true
      noteTimeOut()
    }
    return counts.map((count) => Math.max(0, count - knowledge.effectsBefore))
  }

  /**
   * Counts the effects of each delivery: waits a while for the expected number, and then as long as another effect may take.
   * `areHandled` is much faster if effects are late.
   */
  const countEffects = (
    deliveries: readonly Delivery[],
    expected: number | readonly number[] = 1,
  ): Promise<number[]> =>
    awaitEffects(deliveries, {
      expected: typeof expected === 'number' ? deliveries.map(() => expected) : expected,
      settleMs: Math.min(limits.firstEffectMs, Math.max(limits.settleMs, 1.5 * knowledge.effectLatencyMs)),
    })

  /** Returns whether each delivery has an effect. Waits a while until all have. */
  const areHandled = async (
    deliveries: readonly Delivery[],
    effectMs = getEffectMs(),
  ): Promise<boolean[]> => {
    const expected = deliveries.map(() => 1)
    const counts = await awaitEffects(deliveries, { expected, settleMs: limits.settleMs, effectMs })
    return counts.map((count) => count > 0)
  }

  const readEffectLines = (): Promise<string[]> => readWhile(() => readEffects(getEffects(), getReader()))

  return {
    ...settings,
    knowledge,
    signal,
    onWait,
    exchanges,
    build,
    prepare,
    sign,
    deliver,
    send,
    countEffects,
    areHandled,
    /**
     * Counts the deliveries that have no effect. Waits for it as long as for the first one, or for `waitMs` if that is longer: an
     * endpoint may try again by itself what it could not handle.
     */
    countNeverHandled: async (deliveries: readonly Delivery[], waitMs = 0): Promise<number> => {
      if (deliveries.length === 0) return 0
      const handled = await areHandled(deliveries, Math.max(limits.firstEffectMs, getEffectMs(), waitMs))
      return handled.filter((each) => !each).length
    },
    getEffectMs,
    readEffectLines,
    /** Sends a hostile delivery. If it is refused, records that its subject must have no effects. */
    sendHostile: async (
      request: Partial<OutgoingRequest>,
      subject: string,
      timeoutMs?: number,
    ): Promise<Exchange> => {
      const exchange = await send(request, timeoutMs)
      if (exchange.status !== undefined && exchange.status >= 400) knowledge.refusedSubjects.add(subject)
      return exchange
    },
    openAndWrite: (bytes: Uint8Array): Promise<Socket> => {
      recordBytes(bytes)
      return openAndWrite(url, bytes)
    },
    sendBytes: async (bytes: Uint8Array, timeoutMs: number): Promise<string> => {
      const head = await sendBytes(url, bytes, timeoutMs)
      recordBytes(bytes, head)
      return head
    },
    /** Counts the effects of one delivery. Returns 0 if this run cannot see effects. */
    countEffectsOf: async (delivery: Delivery, expected?: number): Promise<number> => {
      if (knowledge.effectName === undefined) return 0
      const [count = 0] = await countEffects([delivery], expected)
      return count
    },
    /** Returns whether a delivery has an effect. Returns `false` if this run cannot see effects. */
    isHandled: async (delivery: Delivery): Promise<boolean> => {
      if (knowledge.effectName === undefined) return false
      const [handled = false] = await areHandled([delivery])
      return handled
    },
    /** Returns the lines of a delivery's effects, with a placeholder for its subject. */
    listEffects: async ({ subject }: Delivery): Promise<string[]> => {
      const lines = await readEffectLines()
      return lines.filter((line) => line.includes(subject)).map((line) => line.replaceAll(subject, '…'))
    },
    /**
     * Returns whether the endpoint accepts a genuine delivery, after giving it time to recover. If a firewall
     * or a rate limit responds instead, the endpoint counts as alive.
     */
    isAlive: async (): Promise<boolean> => {
      let endsAt: number | undefined
      for (;;) {
        const exchange = await deliver(await prepare('CALL_AI_SUMMARY'))
        if (isAccepted(exchange)) return true
        if (signal.aborted) return false
        // The first attempt may have waited for what the attack left behind.
        endsAt ??= clock.now() + limits.recoverMs
        if (clock.now() >= endsAt) {
          down = !isShielded(exchange)
          noteTimeOut()
          return !down
        }
        await sleep(100)
      }
    },
    /** Returns whether a call to `isAlive` found that the endpoint is down. */
    isDown: (): boolean => down,
    /** Returns whether an effect that was awaited did not appear in time. */
    hasMissed: (): boolean => missed,
    /**
     * Returns whether a time limit may have run out because this machine was too busy: a limit of this run
     * (`clock.isTooBusy`), or one of the endpoint, which responded 5xx to a body that this process sent too slowly.
     */
    isStarved: (): boolean => starved,
  }
}
