import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiExchange } from '../api/api-request.ts'
import { buildFetch, type Lab } from '../lab.ts'
import type { ReceivedWebhook } from '../webhooks/received-webhook.ts'
import type { PlayedCall, PlayedOutcome } from './simulate.ts'

type UnansweredOutcome = Exclude<PlayedOutcome, 'answered'>

/** A call that was played. */
export type CallScene = {
  /** The id of the call, or an empty string if the call could not be made. */
  readonly callId: string
  /** Why the call could not be made. */
  readonly failure?: string
  /** The response to fetching the call's summary. */
  readonly fetched?: ApiExchange
  /** The response to fetching the summary during the call. */
  readonly inProgress?: ApiExchange | undefined
  /** The first CALL_AI_SUMMARY that the listener accepted. */
  readonly summary?: ReceivedWebhook | undefined
}

const pollMs = 200

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns a function that only some runs provide. Throws if it is missing, so that the scene that needs it fails. */
const need = <Given>(given: Given | undefined, purpose: string): Given => {
  if (given === undefined) throw new Error(`the run cannot ${purpose}`)
  return given
}

export const createCallScenes = (lab: Lab) => {
  const { listener, wait, play, simulate } = lab
  const playedIds = new Set<string>()
  let queue: Promise<unknown> = Promise.resolve()

  /** Does one work at a time: until a call's id is known, an unknown id in a webhook must belong to that call. */
  const takeTurn = <Made>(work: () => Promise<Made>): Promise<Made> => {
    const made = queue.then(work)
    queue = made.catch(() => {})
    return made
  }

  const make = (work: () => Promise<string>): Promise<string> =>
    takeTurn(async () => {
      const callId = await work()
      playedIds.add(callId)
      return callId
    })

  const fetchUntilReady = async (callId: string): Promise<ApiExchange> => {
    const endsAt = performance.now() + wait.timeoutMs
    for (;;) {
      const exchange = await lab.send(buildFetch(callId))
      if (exchange.response.status !== 202 || performance.now() > endsAt) return exchange
      await sleep(pollMs)
    }
  }

  /** Plays an answered call. If `failing` is set, the first delivery of the event with this name gets a 500. */
  const playAnswered = async (channel: PlayedCall['channel'], failing?: string): Promise<CallScene> => {
    let inProgress: Promise<ApiExchange> | undefined
    try {
      const callId = await make(async () => {
        const aim = failing === undefined ? undefined : planFailure(failing)
        const stop = listener?.subscribe((each) => {
          if (!/^CALL_(?:INCOMING|OUTGOING)_INITIATED$/.test(each.event) || playedIds.has(each.callId)) return
          inProgress ??= lab.send(buildFetch(each.callId))
        })
        try {
          const id = (await play?.({ outcome: 'answered', channel })) ?? ''
          aim?.(id)
          // A call may still be going on when its id is known.
          inProgress ??= lab.send(buildFetch(id))
          return id
        } finally {
          stop?.()
        }
      })
      const isSummary = (each: ReceivedWebhook): boolean =>
        each.callId === callId && each.event === 'CALL_AI_SUMMARY' && each.status === 204
      const isFailing = (each: ReceivedWebhook): boolean => each.callId === callId && each.event === failing
      if (failing !== undefined) await listener?.waitFor(isFailing, wait.timeoutMs)
      // A failed CALL_AI_SUMMARY delivery must not affect the summary, either before or after the second
      // attempt. The pause gives the server time to react to the failure.
      if (failing === 'CALL_AI_SUMMARY') await sleep(pollMs)
      const early = failing === 'CALL_AI_SUMMARY' ? await fetchUntilReady(callId) : undefined
      const timeoutMs = failing === undefined ? wait.timeoutMs : wait.retryTimeoutMs
      const summary = await listener?.waitFor(isSummary, timeoutMs)
      const isLost = early !== undefined && early.response.status !== 200
      const late = listener === undefined ? fetchUntilReady : (id: string) => lab.send(buildFetch(id))
      const fetched = isLost ? early : await late(callId)
      return { callId, fetched, summary, inProgress: await inProgress }
    } catch (error) {
      return { callId: '', failure: describe(error), inProgress: await inProgress }
    }
  }

  /** Plans a 500 for one event of the next call. Returns a function that sets the call's id once it is known. */
  const planFailure = (event: string): ((callId: string) => void) => {
    const before = new Set(playedIds)
    let target: string | undefined
    listener?.plan({
      response: { status: 500 },
      once: true,
      matches: ({ event: name, callId }) =>
        name === event && (target === undefined ? !before.has(callId) : callId === target),
    })
    return (callId) => {
      target = callId
    }
  }

  const playAndFetch = async (
    playCall: () => Promise<string>,
    fetchSummary: (callId: string) => Promise<ApiExchange>,
  ): Promise<CallScene> => {
    try {
      const callId = await make(playCall)
      return { callId, fetched: await fetchSummary(callId) }
    } catch (error) {
      return { callId: '', failure: describe(error) }
    }
  }

  /** Returns functions that play a call on each channel. Both calls are made at once, because nothing needs their order. */
  const pairUnanswered = (outcome: UnansweredOutcome) => {
    let pair: Promise<CallScene[]> | undefined
    const playOn = async (channel: PlayedCall['channel']): Promise<CallScene> => {
      try {
        const callId = await need(play, 'make a call')({ outcome, channel })
        playedIds.add(callId)
        return { callId }
      } catch (error) {
        return { callId: '', failure: describe(error) }
      }
    }
    const playNth = (index: number) => async (): Promise<CallScene> => {
      pair ??= takeTurn(() => Promise.all([playOn('PSTN'), playOn('WHATSAPP')]))
      const call = (await pair)[index] ?? { callId: '', failure: 'no call' }
      if (call.failure !== undefined) return call
      await listener?.waitFor(({ callId }) => callId === call.callId, wait.timeoutMs)
      return { ...call, fetched: await fetchUntilReady(call.callId) }
    }
    return { onPstn: playNth(0), onWhatsApp: playNth(1) }
  }

  const fetchOnce = (callId: string): Promise<ApiExchange> => lab.send(buildFetch(callId))

  let manual: Promise<CallScene> | undefined
  /** Plays an answered call of an organization with manual summaries, once. */
  const playManual = (): Promise<CallScene> => {
    manual ??= playAndFetch(
      () => need(simulate.playManualCall, 'make a call without an automatic summary')(),
      fetchUntilReady,
    )
    return manual
  }

  const [missed, rejected] = [pairUnanswered('missed'), pairUnanswered('rejected')]
  const [unrecorded, silent] = [pairUnanswered('no_recording'), pairUnanswered('nothing_said')]
  return {
    missedPstn: missed.onPstn,
    missedWhatsApp: missed.onWhatsApp,
    rejectedPstn: rejected.onPstn,
    rejectedWhatsApp: rejected.onWhatsApp,
    unrecordedPstn: unrecorded.onPstn,
    unrecordedWhatsApp: unrecorded.onWhatsApp,
    silentPstn: silent.onPstn,
    silentWhatsApp: silent.onWhatsApp,
    PSTN: () => playAnswered('PSTN'),
    WHATSAPP: () => playAnswered('WHATSAPP'),
    /** Servers that alternate directions make this call in the other direction than the one before. */
    anotherWhatsApp: () => playAnswered('WHATSAPP'),
    failedEnd: () => playAnswered('PSTN', 'CALL_ENDED'),
    failedSummary: () => playAnswered('PSTN', 'CALL_AI_SUMMARY'),
    /** A call whose summary was generated twice. */
    regenerated: async (): Promise<CallScene> => {
      const call = await playAnswered('PSTN')
      if (call.failure !== undefined) return call
      try {
        await need(simulate.regenerateSummary, 'generate a summary again')(call.callId)
        return { ...call, fetched: await fetchOnce(call.callId) }
      } catch (error) {
        return { ...call, failure: describe(error) }
      }
    },
    botTest: () => playAndFetch(() => need(simulate.playSilentBotTest, 'make a bot test call')(), fetchOnce),
    manual: playManual,
    /** The same call, once a team member has asked for its summary. */
    requested: async (): Promise<CallScene> => {
      const call = await playManual()
      if (call.failure !== undefined || call.fetched?.response.status === 200)
        return { callId: '', failure: call.failure ?? 'the call had a summary before it was requested' }
      try {
        await need(simulate.regenerateSummary, 'generate a summary')(call.callId)
      } catch (error) {
        return { callId: '', failure: describe(error) }
      }
      const isOwn = (each: ReceivedWebhook): boolean =>
        each.callId === call.callId && each.event === 'CALL_AI_SUMMARY'
      const summary = await listener?.waitFor(isOwn, wait.timeoutMs)
      return { ...call, summary, fetched: await fetchOnce(call.callId) }
    },
  }
}
