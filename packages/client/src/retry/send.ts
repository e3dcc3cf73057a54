import type { ApiCall } from '../api-call.ts'
import type { WithResponse } from '../api-promise.ts'
import { makeAttempt } from '../attempt/attempt.ts'
import type { AttemptLimit } from '../attempt/create-failure.ts'
import { raceAbort, throwIfAborted } from '../attempt/race-abort.ts'
import { OutcomeUnknownError } from '../errors/outcome-unknown-error.ts'
import type { WabakitError } from '../errors/wabakit-error.ts'
import type { HookRequest } from '../options/hooks.ts'
import type { Settings } from '../options/settings.ts'
import { startBudget } from './budget.ts'
import { getRetryDelayMs, mayHaveHappened } from './retry-policy.ts'
import { traceCall } from './trace-call.ts'

const buildRequest = (settings: Settings, call: ApiCall<unknown>, attempt: number): HookRequest => {
  const { endpoint, method, path, body, options } = call
  const headers = new Headers(settings.headers)
  if (body !== undefined) headers.set('content-type', 'application/json')
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
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
  const remedy =
    groupId === undefined
      ? 'Wait for GROUP_CREATED with this subject before you create it again. To identify the group next time, supply a groupId, or let the client generate it'
      : `Wait for GROUP_CREATED with groupId ${groupId} before you create it again`
  return new OutcomeUnknownError(
    `The request was sent, but its outcome is not known: the group may exist. ${remedy}. Cause: ${cause.message}`,
    { groupId, cause },
  )
}

const makeAttempts = async <Data>(settings: Settings, call: ApiCall<Data>): Promise<WithResponse<Data>> => {
  const { timeline, totalTimeoutMs, hooks } = settings
  const { signal } = call.options
  const budget = startBudget(timeline, totalTimeoutMs)
  let isUnknown = false
  for (let number = 1; ; number++) {
    throwIfAborted(signal)
    const request = buildRequest(settings, call, number)
    const limit = getLimit(settings, call, budget.leftMs())
    const { result, failure } = await makeAttempt(settings, call, request, limit)
    if (result) return result
    isUnknown ||= call.method === 'POST' && mayHaveHappened(failure)
    const delayMs = getRetryDelayMs(call, failure, number, settings)
    const error = isUnknown ? createOutcomeUnknownError(call, failure) : failure
    if (delayMs === undefined || delayMs >= budget.leftMs()) throw error
    await raceAbort(signal, hooks.beforeRetry?.({ request, error: failure, delayMs }))
    await budget.pause(delayMs, signal)
    if (budget.leftMs() <= 0) throw error
  }
}

/** Makes attempts until one succeeds, no retry is allowed, or the time is over. */
export const send = <Data>(settings: Settings, call: ApiCall<Data>): Promise<WithResponse<Data>> =>
  traceCall(call, (traced) => makeAttempts(settings, traced))
