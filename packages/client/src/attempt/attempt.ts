import type { Answer } from '../answer/answer.ts'
import { judge, type Outcome } from '../answer/judge.ts'
import { redactOf, secretsOf } from '../answer/redact.ts'
import type { Call } from '../call.ts'
import type { HookRequest } from '../options/hooks.ts'
import type { Settings } from '../options/settings.ts'
import { abortable } from './abortable.ts'
import { openAttemptSignal } from './attempt-signal.ts'
import { exchange } from './exchange.ts'
import { type AttemptLimit, connectionErrorOf, timeoutErrorOf } from './failure.ts'
import { reportAnswer, reportError } from './report.ts'

/** Puts on `headers` what `beforeRequest` leaves, and on top the key, which hooks never see. */
const prepare = async (settings: Settings, request: HookRequest, headers: Headers, signal: AbortSignal) => {
  const changed = settings.hooks.beforeRequest?.({ request })
  if (changed) await abortable(signal, changed)
  for (const [name, value] of request.headers) headers.set(name, value)
  const applied = settings.applyAuth(headers)
  if (applied) await abortable(signal, applied)
}

/**
 * Makes one attempt of a call. Throws only what ends the call as it is: the reason of an abort, or the own error of
 * a hook or of the `auth` function.
 */
export const makeAttempt = async <Data>(
  settings: Settings,
  call: Call<Data>,
  request: HookRequest,
  limit: AttemptLimit,
): Promise<Outcome<Data>> => {
  const { apiKey, timeline } = settings
  const { signal } = call.options
  const started = timeline.elapsed()
  const headers = new Headers()
  const redact = redactOf(() => secretsOf(apiKey, request.headers, headers))
  const scope = openAttemptSignal(signal, limit.ms)
  let sending = false
  let answer: Answer
  try {
    await prepare(settings, request, headers, scope.signal)
    sending = true
    const received = await exchange(settings, call, headers, scope.signal)
    if (received.cut) signal?.throwIfAborted()
    answer = { ...received, redact, requestId: received.response.headers.get('x-request-id') ?? undefined }
  } catch (thrown) {
    const timedOut = scope.timedOut()
    if (signal?.aborted || !(sending || timedOut)) {
      const error = signal?.aborted ? signal.reason : thrown
      await reportError(settings, request, error, timeline.elapsed() - started)
      throw error
    }
    const failure = timedOut
      ? timeoutErrorOf(request, limit, !sending)
      : connectionErrorOf(request, thrown, redact)
    await abortable(signal, reportError(settings, request, failure, timeline.elapsed() - started))
    return { failure }
  } finally {
    scope.close()
  }
  await abortable(signal, reportAnswer(settings, request, answer, timeline.elapsed() - started))
  return judge(call, answer, timeline.now)
}
