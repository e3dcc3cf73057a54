import type { HookRequest } from '../options/hooks.ts'
import type { LogFields } from '../options/logger.ts'
import type { Settings } from '../options/settings.ts'
import type { ReceivedResponse } from '../response/received-response.ts'

type Result = Pick<LogFields, 'status' | 'error' | 'requestId'>

const log = (
  { logger }: Settings,
  { method, path, attempt }: HookRequest,
  durationMs: number,
  result: Result,
): void => {
  const ms = Math.round(durationMs)
  const id = result.requestId ? `, request ${result.requestId}` : ''
  try {
    const message = `${method} ${path} ${result.status ?? result.error} in ${ms} ms (attempt ${attempt}${id})`
    logger?.debug({ message, method, path, ms, attempt, ...result })
  } catch {
    // A failing logger must not fail the call.
  }
}

/** Informs the logger and the hook about an attempt with a response. */
export const reportResponse = async (
  settings: Settings,
  request: HookRequest,
  { response, text, requestId, redact }: ReceivedResponse,
  durationMs: number,
): Promise<void> => {
  const { status } = response
  if (settings.logger) {
    log(settings, request, durationMs, { status, ...(requestId && { requestId: redact(requestId) }) })
  }
  await settings.hooks.afterResponse?.({ request, response, body: text, requestId, durationMs })
}

/** Informs the logger and the hook about an attempt without a response. */
export const reportError = async (
  settings: Settings,
  request: HookRequest,
  error: unknown,
  durationMs: number,
): Promise<void> => {
  log(settings, request, durationMs, { error: error instanceof Error ? error.name : 'aborted' })
  await settings.hooks.afterError?.({ request, error, durationMs })
}
