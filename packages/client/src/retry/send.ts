import { findTracingChannel } from '@wabakit/wire'
import type { ApiCall, CalledEndpoint, WithResponse } from '../api-call.ts'
import { raceAbort, throwIfAborted } from '../attempt/abort.ts'
import { makeAttempt } from '../attempt/attempt.ts'
import type { AttemptLimit } from '../attempt/failure.ts'
import { OutcomeUnknownError } from '../errors/call-errors.ts'
import type { WabakitError } from '../errors/wabakit-error.ts'
import type { HookRequest } from '../options/hooks.ts'
import { addHeaders, type Settings } from '../options/settings.ts'
import { getRetryDelayMs, mayHaveHappened } from './retry-policy.ts'

/** The message on the tracing channel `wabakit.client`: one call with all its attempts. */
export type CallTrace = {
  /** `groups.create`, `calls.getSummary` or `request`. */
  readonly endpoint: CalledEndpoint
  readonly method: string
  /** Path and query, relative to the base URL. */
  readonly path: string
  /** The `headers` of this call's options, which every attempt sends. A subscriber to `start` may add others, such as `traceparent`. */
  readonly headers: Record<string, string>
  /** The result, with its `response`: set when the call succeeds. */
  result?: unknown
  /** The error: set when the call fails. */
  error?: unknown
}

/** Starts a time budget of `totalMs` milliseconds. Every wait counts in full, even if a test clock does not advance. */
export const startBudget = ({ clock }: Pick<Settings, 'clock'>, totalMs: number) => {
  const started = clock.elapsed()
  let waitedMs = 0
  const spentMs = (): number => Math.max(waitedMs, clock.elapsed() - started)
  return {
    spentMs,
    leftMs: (): number => totalMs - spentMs(),
    /** Waits `ms` milliseconds. Rejects with the signal's reason as soon as it aborts. */
    pause: async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
      throwIfAborted(signal)
      await raceAbort(signal, clock.sleep(ms, signal))
      waitedMs += ms
    },
  }
}

const buildRequest = (settings: Settings, call: ApiCall<unknown>, attempt: number): HookRequest => {
  const { endpoint, method, path, body, options } = call
  const headers = new Headers(settings.headers)
  if (body !== undefined) headers.set('content-type', 'application/json')
  addHeaders(headers, options.headers)
  return { endpoint, method, path, url: settings.baseUrl + path, headers, attempt, body }
}

const getLimit = (settings: Settings, call: ApiCall<unknown>, leftMs: number): AttemptLimit => {
  const timeoutMs = call.options.timeoutMs ?? settings.timeoutMs
  return timeoutMs < leftMs
    ? { limit: 'timeoutMs', timeoutMs, leftMs: timeoutMs }
    : { limit: 'totalTimeoutMs', timeoutMs: settings.totalTimeoutMs, leftMs }
}

const createOutcomeUnknownError = (
  { groupId }: ApiCall<unknown>,
  cause: WabakitError,
): OutcomeUnknownError => {
  const group = groupId === undefined ? 'this subject (next time, supply a groupId)' : `groupId ${groupId}`
  return new OutcomeUnknownError(
    `The request was sent, but its outcome is unknown: the group may exist. Wait for GROUP_CREATED with ${group} before you create it again. Cause: ${cause.message}`,
    { groupId, cause },
  )
}

const makeAttempts = async <Data>(settings: Settings, call: ApiCall<Data>): Promise<WithResponse<Data>> => {
  const { totalTimeoutMs, hooks } = settings
  const { signal } = call.options
  const budget = startBudget(settings, totalTimeoutMs)
  let isUnknown = false
  for (let number = 1; ; number++) {
    throwIfAborted(signal)
    const request = buildRequest(settings, call, number)
    const limit = getLimit(settings, call, budget.leftMs())
    const { result, failure } = await makeAttempt(settings, call, request, limit)
    if (result) return result
    isUnknown ||= call.endpoint === 'groups.create' && mayHaveHappened(failure)
    const delayMs = getRetryDelayMs(call, failure, number, settings)
    const error = isUnknown ? createOutcomeUnknownError(call, failure) : failure
    if (delayMs === undefined || delayMs >= budget.leftMs()) throw error
    await raceAbort(signal, hooks.beforeRetry?.({ request, error: failure, delayMs }))
    await budget.pause(delayMs, signal)
    if (budget.leftMs() <= 0) throw error
  }
}

const channel = /* @__PURE__ */ findTracingChannel('wabakit.client')

/** Makes attempts until one succeeds, no retry is allowed, or the time is up. Traces the call. */
export const send = <Data>(settings: Settings, call: ApiCall<Data>): Promise<WithResponse<Data>> => {
  if (!channel?.hasSubscribers) return makeAttempts(settings, call)
  const { endpoint, method, path, options } = call
  const trace: CallTrace = { endpoint, method, path, headers: { ...options.headers } }
  const traced = { ...call, options: { ...options, headers: trace.headers } }
  return channel.tracePromise(() => makeAttempts(settings, traced), trace)
}
