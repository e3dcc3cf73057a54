import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../api/api-request.ts'
import { buildFetch, type Lab, memoize } from '../lab.ts'
import type { PlannedResponse } from '../webhooks/listen.ts'
import type { ReceivedWebhook } from '../webhooks/received-webhook.ts'
import type { PlayedCall, PlayedOutcome } from './simulate.ts'

export type UnansweredOutcome = Exclude<PlayedOutcome, 'answered'>

/** A call that can have no summary, or publishes none. */
export type UnansweredCall = {
  /** Empty if the call could not be made. */
  readonly callId: string
  /** Why the call could not be made. */
  readonly failure: string | undefined
  /** The response to the fetch of its summary. */
  readonly fetched: Exchange | undefined
}

export type AnsweredCall = UnansweredCall & {
  /** The first CALL_AI_SUMMARY that the listener accepted. */
  readonly summary: ReceivedWebhook | undefined
  /** The response to a fetch during the call. */
  readonly inProgress: Exchange | undefined
}

type FirstAttempt = { readonly event: string; readonly response: PlannedResponse }

const pollMs = 200

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const createCallScenes = (lab: Lab) => {
  const { listener, wait, play, simulate } = lab
  const playedIds = new Set<string>()
  let queue: Promise<unknown> = Promise.resolve()

  /** Runs one call at a time: until its id is known, an unknown id in a webhook is this call's. */
  const enqueue = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = queue.then(work)
    queue = result.catch(() => {})
    return result
  }

  const fetchUntilReady = async (callId: string): Promise<Exchange> => {
    const endsAt = performance.now() + wait.timeoutMs
    for (;;) {
      const exchange = await lab.send(buildFetch(callId))
      if (exchange.response.status !== 202 || performance.now() > endsAt) return exchange
      await sleep(pollMs)
    }
  }

  const make = (work: () => Promise<string>): Promise<string> =>
    enqueue(async () => {
      const callId = await work()
      playedIds.add(callId)
      return callId
    })

  const playSummarized = async (call: PlayedCall, first?: FirstAttempt): Promise<AnsweredCall> => {
    let inProgress: Promise<Exchange> | undefined
    try {
      const callId = await make(async () => {
        const aim = first === undefined ? undefined : planFirst(first)
        const stop = listener?.subscribe((each) => {
          if (!/^CALL_(?:INCOMING|OUTGOING)_INITIATED$/.test(each.event) || playedIds.has(each.callId)) return
          inProgress ??= lab.send(buildFetch(each.callId))
        })
        try {
          const id = (await play?.(call)) ?? ''
          aim?.(id)
          return id
        } finally {
          stop?.()
        }
      })
      const isSummary = (each: ReceivedWebhook): boolean =>
        each.callId === callId && each.event === 'CALL_AI_SUMMARY' && each.status === 204
      const timeoutMs = first === undefined ? wait.timeoutMs : wait.retryTimeoutMs
      const isFirst = (each: ReceivedWebhook): boolean =>
        each.callId === callId && each.event === first?.event
      if (first !== undefined) await listener?.waitFor(isFirst, wait.timeoutMs)
      // A failed CALL_AI_SUMMARY must not affect the summary, neither before its second attempt nor after it.
      if (first?.event === 'CALL_AI_SUMMARY') await sleep(pollMs)
      const early = first?.event === 'CALL_AI_SUMMARY' ? await fetchUntilReady(callId) : undefined
      const summary = await listener?.waitFor(isSummary, timeoutMs)
      const isLost = early !== undefined && early.response.status !== 200
      const late = listener === undefined ? fetchUntilReady : (id: string) => lab.send(buildFetch(id))
      const fetched = isLost ? early : await late(callId)
      return { callId, failure: undefined, fetched, summary, inProgress: await inProgress }
    } catch (error) {
      const failure = describe(error)
      return { callId: '', failure, fetched: undefined, summary: undefined, inProgress: await inProgress }
    }
  }

  const planFirst = ({ event, response }: FirstAttempt): ((callId: string) => void) => {
    const before = new Set(playedIds)
    let isDone = false
    let target: string | undefined
    listener?.plan(({ event: name, callId }) => {
      const isTarget = target === undefined ? !before.has(callId) : callId === target
      if (isDone || name !== event || !isTarget) return undefined
      isDone = true
      return response
    })
    return (callId) => {
      target = callId
    }
  }

  const playUnanswered = async (outcome: UnansweredOutcome): Promise<UnansweredCall> => {
    const channel = outcome === 'rejected' || outcome === 'nothing_said' ? 'PSTN' : 'WHATSAPP'
    try {
      const callId = await make(async () => (await play?.({ outcome, channel })) ?? '')
      await listener?.waitFor((each) => each.callId === callId, wait.timeoutMs)
      return { callId, failure: undefined, fetched: await fetchUntilReady(callId) }
    } catch (error) {
      return { callId: '', failure: describe(error), fetched: undefined }
    }
  }

  const playAlone = async (playCall: (() => Promise<string>) | undefined): Promise<UnansweredCall> => {
    try {
      const callId = await make(async () => (await playCall?.()) ?? '')
      return { callId, failure: undefined, fetched: await lab.send(buildFetch(callId)) }
    } catch (error) {
      return { callId: '', failure: describe(error), fetched: undefined }
    }
  }

  const unanswered: Record<UnansweredOutcome, () => Promise<UnansweredCall>> = {
    missed: memoize(() => playUnanswered('missed')),
    rejected: memoize(() => playUnanswered('rejected')),
    not_picked: memoize(() => playUnanswered('not_picked')),
    no_recording: memoize(() => playUnanswered('no_recording')),
    nothing_said: memoize(() => playUnanswered('nothing_said')),
  }
  const answered = {
    PSTN: memoize(() => playSummarized({ outcome: 'answered', channel: 'PSTN' })),
    WHATSAPP: memoize(() => playSummarized({ outcome: 'answered', channel: 'WHATSAPP' })),
  }
  const failWith500 = (event: string) =>
    playSummarized({ outcome: 'answered', channel: 'PSTN' }, { event, response: { status: 500 } })

  const scenes = {
    answered: (channel: 'PSTN' | 'WHATSAPP') => answered[channel](),
    unanswered: (outcome: UnansweredOutcome) => unanswered[outcome](),
    failedEnd: memoize(() => failWith500('CALL_ENDED')),
    failedSummary: memoize(() => failWith500('CALL_AI_SUMMARY')),
    regenerated: memoize(async (): Promise<AnsweredCall> => {
      const call = await playSummarized({ outcome: 'answered', channel: 'PSTN' })
      if (call.failure !== undefined) return call
      try {
        await simulate.regenerateSummary?.(call.callId)
        return { ...call, fetched: await lab.send(buildFetch(call.callId)) }
      } catch (error) {
        return { ...call, failure: describe(error) }
      }
    }),
    botTest: memoize(() => playAlone(simulate.playSilentBotTest)),
    manual: memoize(() => playAlone(simulate.playManualCall)),
  }
  const startCalls = (): Promise<unknown>[] => [
    ...[scenes.answered('PSTN'), scenes.answered('WHATSAPP')],
    ...(listener === undefined ? [] : [scenes.failedEnd(), scenes.failedSummary()]),
    ...Object.values(unanswered).map((run) => run()),
    ...(simulate.regenerateSummary === undefined ? [] : [scenes.regenerated()]),
    ...(simulate.playSilentBotTest === undefined ? [] : [scenes.botTest()]),
  ]
  return { ...scenes, startCalls }
}
