import { abortable } from './abortable.ts'
import type { WithResponse } from './api-promise.ts'
import { makeAttempt } from './attempt.ts'
import { backoffMsOf } from './backoff.ts'
import type { Call } from './call.ts'
import { ApiError } from './errors/api-error.ts'
import type { WabakitError } from './errors/wabakit-error.ts'
import type { HookRequest } from './hooks.ts'
import { outcomeUnknownErrorOf } from './outcome-unknown-error-of.ts'
import { isPassing, isRepeatable, mayHaveHappened } from './retry-policy.ts'
import type { Settings } from './settings.ts'

/** The wait before the next attempt; `undefined` when there must be none, or when it would be too long. */
const delayOf = (
  call: Call<unknown>,
  failure: WabakitError,
  number: number,
  leftMs: number,
  { retry }: Settings,
) => {
  if (number > retry.limit || !isRepeatable(call, failure, retry.writes)) return undefined
  const asked = failure instanceof ApiError ? failure.retryAfterMs : undefined
  if (asked !== undefined && asked > retry.maxRetryAfterMs) return undefined
  const delayMs = asked ?? backoffMsOf(retry.backoffMs, number)
  return delayMs < leftMs ? delayMs : undefined
}

/** Makes a call: attempts, and waits between them, until one succeeds, none may follow, or the time is over. */
export const send = async <Data>(settings: Settings, call: Call<Data>): Promise<WithResponse<Data>> => {
  const { baseUrl, timeline, totalTimeoutMs, hooks } = settings
  const { endpoint, method, path, body, options } = call
  const timeoutMs = options.timeoutMs ?? settings.timeoutMs
  const started = timeline.elapsed()
  const leftMs = () => totalTimeoutMs - (timeline.elapsed() - started)
  let unknown = false
  for (let number = 1; ; number++) {
    const request: HookRequest = {
      endpoint,
      method,
      path,
      url: baseUrl + path,
      headers: new Headers({
        ...settings.headers,
        ...(body && { 'content-type': 'application/json' }),
        ...options.headers,
      }),
      attempt: number,
      body,
    }
    const outcome = await makeAttempt(settings, call, request, Math.min(timeoutMs, leftMs()))
    if (!outcome.failure) return outcome.result
    const { failure } = outcome
    unknown ||= method === 'POST' && mayHaveHappened(failure)
    const delayMs = delayOf(call, failure, number, leftMs(), settings)
    if (delayMs === undefined) {
      throw unknown && isPassing(failure) ? outcomeUnknownErrorOf(call, failure) : failure
    }
    await hooks.beforeRetry?.({ request, error: failure, delayMs })
    const pause = timeline.sleep(delayMs, options.signal)
    await (options.signal ? abortable(options.signal, pause) : pause)
  }
}
