import type { WithResponse } from '../api-promise.ts'
import { abortable } from '../attempt/abortable.ts'
import { makeAttempt } from '../attempt/attempt.ts'
import type { AttemptLimit } from '../attempt/failure.ts'
import type { Call } from '../call.ts'
import type { HookRequest } from '../options/hooks.ts'
import type { Settings } from '../options/settings.ts'
import { startBudget } from './budget.ts'
import { outcomeUnknownErrorOf } from './outcome-unknown-error-of.ts'
import { delayMsOf, mayHaveHappened } from './retry-policy.ts'

const requestOf = (settings: Settings, call: Call<unknown>, attempt: number): HookRequest => {
  const { endpoint, method, path, body, options } = call
  const headers = new Headers(settings.headers)
  if (body !== undefined) headers.set('content-type', 'application/json')
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
  return { endpoint, method, path, url: settings.baseUrl + path, headers, attempt, body }
}

const limitOf = (
  { timeoutMs, totalTimeoutMs }: Settings,
  call: Call<unknown>,
  leftMs: number,
): AttemptLimit => {
  const ofAttempt = call.options.timeoutMs ?? timeoutMs
  return ofAttempt < leftMs
    ? { limit: 'timeoutMs', timeoutMs: ofAttempt, ms: ofAttempt }
    : { limit: 'totalTimeoutMs', timeoutMs: totalTimeoutMs, ms: leftMs }
}

/** Makes a call: attempts, with waits between them, until one succeeds, none may follow, or the time is over. */
export const send = async <Data>(settings: Settings, call: Call<Data>): Promise<WithResponse<Data>> => {
  const { timeline, totalTimeoutMs, hooks } = settings
  const { signal } = call.options
  const budget = startBudget(timeline, totalTimeoutMs)
  let unknown = false
  for (let number = 1; ; number++) {
    signal?.throwIfAborted()
    const request = requestOf(settings, call, number)
    const { result, failure } = await makeAttempt(
      settings,
      call,
      request,
      limitOf(settings, call, budget.leftMs()),
    )
    if (result) return result
    unknown ||= call.method === 'POST' && mayHaveHappened(failure)
    const delayMs = delayMsOf(call, failure, number, settings)
    const error = unknown ? outcomeUnknownErrorOf(call, failure) : failure
    if (delayMs === undefined || delayMs >= budget.leftMs()) throw error
    await abortable(signal, hooks.beforeRetry?.({ request, error: failure, delayMs }))
    await budget.pause(delayMs, signal)
    if (budget.leftMs() <= 0) throw error
  }
}
