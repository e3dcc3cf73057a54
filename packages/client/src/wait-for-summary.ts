import { longestTimerMs, type SummaryRecord } from '@wabakit/wire'
import { openSignal, throwIfAborted } from './attempt/abort.ts'
import { ApiError, NotFoundError, SummaryPendingError } from './errors/api-errors.ts'
import { TimeoutError } from './errors/call-errors.ts'
import { isWabakitError, ValidationError, type WabakitError } from './errors/wabakit-error.ts'
import { checkCallId, getSummary } from './get-summary.ts'
import { checkOptions, waitRules } from './options/check-options.ts'
import type { WaitOptions } from './options/request-options.ts'
import type { Settings } from './options/settings.ts'
import { isTransient } from './retry/retry-policy.ts'
import { startBudget } from './retry/send.ts'

/** Checks whether a later request could get the summary. A 404 `route_not_found` means that `baseUrl` is wrong. */
const isNotYet = (error: unknown): error is WabakitError =>
  isWabakitError(error) &&
  (error instanceof SummaryPendingError ||
    (error instanceof NotFoundError && error.code !== 'route_not_found') ||
    isTransient(error))

/**
 * Requests the summary repeatedly. Each request is a single attempt, because this loop does the retrying. After
 * `notFoundGraceMs` of 404, polling ends or, with `events`, pauses until one last request: a live service always returns
 * 404 for WhatsApp calls, whose summaries arrive only as events.
 */
const poll = async (settings: Settings, callId: string, options: WaitOptions): Promise<SummaryRecord> => {
  const { maxWaitMs = 120_000, intervalMs = 2_000, notFoundGraceMs = 10_000, events, signal } = options
  const budget = startBudget(settings, maxWaitMs)
  const retry = { ...settings.retry, limit: 0 }
  let missingSinceMs: number | undefined
  for (;;) {
    let last: WabakitError
    try {
      const totalTimeoutMs = Math.min(settings.totalTimeoutMs, Math.ceil(budget.leftMs()))
      return (await getSummary({ ...settings, retry, totalTimeoutMs }, callId, options)).data
    } catch (error) {
      if (!isNotYet(error)) throw error
      last = error
    }
    if (last instanceof NotFoundError) missingSinceMs ??= budget.spentMs()
    else if (last instanceof SummaryPendingError) missingSinceMs = undefined
    const isMissing = missingSinceMs !== undefined && budget.spentMs() - missingSinceMs >= notFoundGraceMs
    if (isMissing && events === undefined) throw last
    // Waits for the event. Requests the summary once more, about one interval before the end, in case the event was
    // missed.
    const eventMs = isMissing ? Math.min(budget.leftMs() - intervalMs, longestTimerMs) : 0
    const retryAfterMs = (last instanceof ApiError && last.retryAfterMs) || 0
    const pauseMs =
      Math.max(intervalMs, retryAfterMs, eventMs) + Math.round((settings.random() * intervalMs) / 2)
    await budget.pause(Math.max(0, Math.min(pauseMs, budget.leftMs())), signal)
    if (budget.leftMs() >= 1) continue
    throw new TimeoutError(
      `No summary of call ${callId} within maxWaitMs (${maxWaitMs} ms). Last error: ${last.message}`,
      { limit: 'maxWaitMs', timeoutMs: maxWaitMs, neverSent: false },
      { cause: last },
    )
  }
}

/** Waits for a summary by polling and, if there are `events`, by listening. The first result ends both. */
export const waitForSummary = async (
  settings: Settings,
  callId: string,
  options: WaitOptions,
): Promise<SummaryRecord> => {
  const issues = [...checkCallId(callId), ...checkOptions(options, waitRules)]
  if (issues.length > 0) throw new ValidationError('calls.waitForSummary', issues)
  const { signal, events } = options
  const polling = openSignal(signal, Number.POSITIVE_INFINITY)
  let received: SummaryRecord | undefined
  let unsubscribe: (() => void) | undefined
  try {
    throwIfAborted(signal)
    unsubscribe = events?.subscribe('CALL_AI_SUMMARY', ({ event: _event, ...record }) => {
      if (record.callId !== callId) return
      received = record
      polling.end()
    })
    return await poll(settings, callId, { ...options, signal: polling.signal })
  } catch (error) {
    if (received) return received
    throw error
  } finally {
    unsubscribe?.()
    polling.close()
  }
}
