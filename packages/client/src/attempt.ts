import { isNetworkError } from 'ky'
import { abortable } from './abortable.ts'
import { answerOf } from './answer.ts'
import { type AttemptSignal, openAttemptSignal } from './attempt-signal.ts'
import type { Call } from './call.ts'
import { ConnectionError } from './errors/connection-error.ts'
import { TimeoutError } from './errors/timeout-error.ts'
import { exchange, type Received } from './exchange.ts'
import type { HookRequest } from './hooks.ts'
import { judge, type Outcome } from './judge.ts'
import { neverSent } from './never-sent.ts'
import { reportAnswer, reportError } from './report.ts'
import type { Settings } from './settings.ts'

/** The headers to send: what `beforeRequest` leaves, and the key on top, which hooks never see. */
const prepare = async ({ hooks, applyAuth }: Settings, request: HookRequest, signal: AbortSignal) => {
  signal.throwIfAborted()
  const changed = hooks.beforeRequest?.({ request })
  if (changed) await abortable(signal, changed)
  const headers = new Headers(request.headers)
  const applied = applyAuth(headers)
  if (applied) await abortable(signal, applied)
  return headers
}

/** What an attempt that was thrown out of `sending` failed of. */
const failureOf = (request: HookRequest, limit: AttemptSignal, thrown: unknown, sending: boolean) => {
  const what = `${request.method} ${request.path}`
  if (limit.timedOut()) {
    return new TimeoutError(`${what} brought no answer within ${limit.ms} ms (attempt ${request.attempt})`, {
      timeoutMs: limit.ms,
      neverSent: !sending,
    })
  }
  const cause = isNetworkError(thrown) ? thrown.cause : thrown
  return new ConnectionError(`${what} found no connection`, { neverSent: neverSent(cause), cause })
}

/**
 * Makes one attempt of a call, in at most `limitMs` milliseconds. Throws only what ends the call as it is: the
 * reason of an abort, or the own error of a hook or of the `auth` function.
 */
export const makeAttempt = async <Data>(
  settings: Settings,
  call: Call<Data>,
  request: HookRequest,
  limitMs: number,
): Promise<Outcome<Data>> => {
  const { elapsed, now } = settings.timeline
  const started = elapsed()
  const limit = openAttemptSignal(call.options.signal, limitMs)
  let sent: Headers | undefined
  let received: Received
  try {
    sent = await prepare(settings, request, limit.signal)
    received = await exchange(settings, call, sent, limit.signal)
  } catch (thrown) {
    const { signal } = call.options
    const own = signal?.aborted || (!sent && !limit.timedOut())
    const failure = own ? undefined : failureOf(request, limit, thrown, sent !== undefined)
    const error = failure ?? (signal?.aborted ? signal.reason : thrown)
    await reportError(settings, request, error, elapsed() - started)
    if (failure) return { failure }
    throw error
  } finally {
    limit.close()
  }
  const answer = answerOf(received, settings.apiKey, request.headers, sent)
  await reportAnswer(settings, request, answer, elapsed() - started)
  return judge(call, answer, now)
}
