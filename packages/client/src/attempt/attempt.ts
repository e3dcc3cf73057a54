import type { ApiCall } from '../api-call.ts'
import type { HookRequest } from '../options/hooks.ts'
import type { Settings } from '../options/settings.ts'
import { interpretResponse, type Outcome } from '../response/interpret-response.ts'
import type { ReceivedResponse } from '../response/received-response.ts'
import { createRedact, listSecrets } from '../response/redact.ts'
import { openAttemptSignal } from './attempt-signal.ts'
import { type AttemptLimit, createConnectionError, createTimeoutError } from './create-failure.ts'
import { exchange } from './exchange.ts'
import { getAbortReason, raceAbort, throwIfAborted } from './race-abort.ts'
import { reportError, reportResponse } from './report.ts'

/** Fills `headers` with those that `beforeRequest` leaves, and then with the key, which hooks never see. */
const prepare = async (settings: Settings, request: HookRequest, headers: Headers, signal: AbortSignal) => {
  const changed = settings.hooks.beforeRequest?.({ request })
  if (changed) await raceAbort(signal, changed)
  for (const [name, value] of request.headers) headers.set(name, value)
  const applied = settings.applyAuth(headers)
  if (applied) await raceAbort(signal, applied)
}

/**
 * Makes one attempt of a call. Throws only what ends the call without wrapping: the reason of an abort, or an error of
 * a hook or of the `auth` function.
 */
export const makeAttempt = async <Data>(
  settings: Settings,
  call: ApiCall<Data>,
  request: HookRequest,
  limit: AttemptLimit,
): Promise<Outcome<Data>> => {
  const { apiKey, timeline } = settings
  const { signal } = call.options
  const started = timeline.elapsed()
  const headers = new Headers()
  const redact = createRedact(() => listSecrets(apiKey, request.headers, headers))
  const scope = openAttemptSignal(signal, limit.leftMs)
  let prepared = false
  let sent = false
  let received: ReceivedResponse
  try {
    await prepare(settings, request, headers, scope.signal)
    prepared = true
    const onSend = () => {
      sent = true
    }
    const exchanged = await exchange(settings, call, { headers, signal: scope.signal, onSend })
    if (exchanged.cut) throwIfAborted(signal)
    const requestId = exchanged.response.headers.get('x-request-id') ?? undefined
    received = { ...exchanged, url: request.url, redact, requestId }
  } catch (thrown) {
    const timedOut = scope.timedOut()
    if (signal?.aborted || !(prepared || timedOut)) {
      const error = signal?.aborted ? getAbortReason(signal) : thrown
      await reportError(settings, request, error, timeline.elapsed() - started)
      throw error
    }
    const failure = timedOut
      ? createTimeoutError(request, limit, { redact, sent })
      : createConnectionError(request, thrown, { redact, sent })
    await raceAbort(signal, reportError(settings, request, failure, timeline.elapsed() - started))
    return { failure }
  } finally {
    scope.close()
  }
  await raceAbort(signal, reportResponse(settings, request, received, timeline.elapsed() - started))
  return interpretResponse(call, received, timeline.now)
}
