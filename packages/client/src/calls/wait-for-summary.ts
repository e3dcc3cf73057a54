import type { SummaryRecord } from '@wabakit/contract'
import { ApiError } from '../errors/api-error.ts'
import { NotFoundError } from '../errors/not-found-error.ts'
import { SummaryPendingError } from '../errors/summary-pending-error.ts'
import { TimeoutError } from '../errors/timeout-error.ts'
import { ValidationError } from '../errors/validation-error.ts'
import { isWabakitError, type WabakitError } from '../errors/wabakit-error.ts'
import { waitOptionIssues } from '../options/check-options.ts'
import type { Settings } from '../options/settings.ts'
import type { WaitOptions } from '../options/wait-options.ts'
import { startBudget } from '../retry/budget.ts'
import { isPassing } from '../retry/retry-policy.ts'
import { callIdIssues, getSummary } from './get-summary.ts'
import { recordOfEvent } from './summary-record.ts'

/** Whether a later request could bring the summary. A 404 of the path itself means a wrong `baseUrl`. */
const isNotYet = (error: unknown): error is WabakitError =>
  isWabakitError(error) &&
  (error instanceof SummaryPendingError ||
    (error instanceof NotFoundError && error.code !== 'route_not_found') ||
    isPassing(error))

/** Asks again and again, one attempt each time: this loop is the retry. */
const poll = async (settings: Settings, callId: string, options: WaitOptions): Promise<SummaryRecord> => {
  const { maxWaitMs = 120_000, intervalMs = 2_000, signal } = options
  const budget = startBudget(settings.timeline, maxWaitMs)
  const retry = { ...settings.retry, limit: 0 }
  for (;;) {
    let last: WabakitError
    try {
      const totalTimeoutMs = Math.min(settings.totalTimeoutMs, Math.ceil(budget.leftMs()))
      return (await getSummary({ ...settings, retry, totalTimeoutMs }, callId, options)).data
    } catch (error) {
      if (!isNotYet(error)) throw error
      last = error
    }
    const asked = (last instanceof ApiError && last.retryAfterMs) || 0
    const pauseMs = Math.max(intervalMs, asked) + Math.round((settings.random() * intervalMs) / 2)
    await budget.pause(Math.max(0, Math.min(pauseMs, budget.leftMs())), signal)
    if (budget.leftMs() >= 1) continue
    throw new TimeoutError(
      `No summary of call ${callId} within maxWaitMs (${maxWaitMs} ms); at last: ${last.message}`,
      { limit: 'maxWaitMs', timeoutMs: maxWaitMs, neverSent: false },
      { cause: last },
    )
  }
}

/** Waits for a summary by asking and, where `events` are given, by listening; whatever ends it ends both. */
export const waitForSummary = async (
  settings: Settings,
  callId: string,
  options: WaitOptions,
): Promise<SummaryRecord> => {
  const issues = [...callIdIssues(callId), ...waitOptionIssues(options)]
  if (issues.length > 0) throw new ValidationError('calls.waitForSummary', issues)
  const { signal, events } = options
  const polling = new AbortController()
  const follow = () => polling.abort(signal?.reason)
  let received: SummaryRecord | undefined
  let unsubscribe: (() => void) | undefined
  try {
    signal?.throwIfAborted()
    signal?.addEventListener('abort', follow)
    unsubscribe = events?.subscribe('CALL_AI_SUMMARY', (event) => {
      if (event.callId !== callId) return
      received = recordOfEvent(event)
      polling.abort()
    })
    return await poll(settings, callId, { ...options, signal: polling.signal })
  } catch (error) {
    if (received) return received
    throw error
  } finally {
    unsubscribe?.()
    signal?.removeEventListener('abort', follow)
  }
}
