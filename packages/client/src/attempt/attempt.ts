import { createSecretHider, isError } from '@wabakit/wire'
import type { ApiCall } from '../api-call.ts'
import type { HookRequest, Hooks, LogFields } from '../options/hooks.ts'
import type { Settings } from '../options/settings.ts'
import { getAbortReason, openSignal, raceAbort, throwIfAborted } from './abort.ts'
import { type AttemptLimit, createConnectionError, createTimeoutError } from './failure.ts'
import { type Hide, listSecrets } from './hide-secrets.ts'
import { interpretResponse, type Outcome, type ReceivedResponse } from './interpret-response.ts'
import { sendRequest } from './send-request.ts'

/** The argument of a hook that runs after an attempt. */
type Context<Name extends 'afterResponse' | 'afterError'> = Parameters<NonNullable<Hooks[Name]>>[0]

/** Runs `beforeRequest`, then adds the resulting headers and, last, the key, which hooks never see. */
const addHeaders = async (
  settings: Settings,
  request: HookRequest,
  headers: Headers,
  signal: AbortSignal,
) => {
  await raceAbort(signal, settings.hooks.beforeRequest?.({ request }))
  for (const [name, value] of request.headers) headers.set(name, value)
  await raceAbort(signal, settings.applyAuth(headers))
}

type LogContext = Pick<Context<'afterError'>, 'request' | 'durationMs'> & { readonly hide: Hide }

const log = (
  { logger }: Settings,
  { request, durationMs, hide }: LogContext,
  result: Pick<LogFields, 'status' | 'error' | 'requestId'>,
): void => {
  const { method, attempt, endpoint } = request
  const ms = Math.round(durationMs)
  // Only `client.request` takes a path from its caller, who may have put the key into the query.
  const path = endpoint === 'request' ? hide(request.path) : request.path
  const id = result.requestId ? `, request ${result.requestId}` : ''
  try {
    const message = `${method} ${path} ${result.status ?? result.error} in ${ms} ms (attempt ${attempt}${id})`
    logger?.debug({ message, method, path, ms, attempt, ...result })
  } catch {
    // A failing logger must not fail the call.
  }
}

const reportError = async (
  settings: Settings,
  { hide, ...context }: Context<'afterError'> & LogContext,
): Promise<void> => {
  log(settings, { ...context, hide }, { error: isError(context.error) ? context.error.name : 'aborted' })
  await settings.hooks.afterError?.(context)
}

/**
 * Makes one attempt at a call, and reports it to the logger and the hooks. Throws only errors that must reject the call
 * without a retry: an abort reason, or an error from a hook or from the `auth` function.
 */
export const makeAttempt = async <Data>(
  settings: Settings,
  call: ApiCall<Data>,
  request: HookRequest,
  limit: AttemptLimit,
): Promise<Outcome<Data>> => {
  const { apiKey, clock, logger, hooks } = settings
  const { signal } = call.options
  const started = clock.elapsed()
  const headers = new Headers()
  const hide = createSecretHider(() => listSecrets(apiKey, request.headers, headers))
  const scope = openSignal(signal, limit.leftMs)
  let prepared = false
  let sent = false
  let received: ReceivedResponse
  try {
    await addHeaders(settings, request, headers, scope.signal)
    prepared = true
    const onSend = () => {
      sent = true
    }
    const exchanged = await sendRequest(settings, call, { headers, signal: scope.signal, onSend })
    // The abort may be why the body is incomplete.
    if (exchanged.cut) throwIfAborted(signal)
    const requestId = exchanged.response.headers.get('x-request-id') ?? undefined
    received = { ...exchanged, url: request.url, hide, requestId }
  } catch (thrown) {
    const timedOut = scope.timedOut()
    const durationMs = clock.elapsed() - started
    if (signal?.aborted || !(prepared || timedOut)) {
      const error = signal?.aborted ? getAbortReason(signal) : thrown
      await reportError(settings, { request, error, durationMs, hide })
      throw error
    }
    const failure = timedOut
      ? createTimeoutError(request, limit, { hide, sent })
      : createConnectionError(request, thrown, { hide, sent })
    await raceAbort(signal, reportError(settings, { request, error: failure, durationMs, hide }))
    return { failure }
  } finally {
    scope.close()
  }
  const { response, text, requestId } = received
  const durationMs = clock.elapsed() - started
  if (logger) {
    const id = requestId && { requestId: hide(requestId) }
    log(settings, { request, durationMs, hide }, { status: response.status, ...id })
  }
  await raceAbort(signal, hooks.afterResponse?.({ request, response, body: text, requestId, durationMs }))
  return interpretResponse(call, received, clock.now)
}
