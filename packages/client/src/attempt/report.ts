import type { Answer } from '../answer/answer.ts'
import type { HookRequest } from '../options/hooks.ts'
import type { LogFields } from '../options/logger.ts'
import type { Settings } from '../options/settings.ts'

const write = (
  { logger }: Settings,
  request: HookRequest,
  durationMs: number,
  end: Partial<LogFields>,
): void => {
  if (!logger) return
  const { method, path, attempt } = request
  const ms = Math.round(durationMs)
  const id = end.requestId ? `, request ${end.requestId}` : ''
  try {
    logger.debug(`${method} ${path} ${end.status ?? end.error} in ${ms} ms (attempt ${attempt}${id})`, {
      method,
      path,
      ms,
      attempt,
      ...end,
    })
  } catch {
    // What a call came to is worth more than a line about it.
  }
}

/** Tells logger and hook of an attempt that was answered. */
export const reportAnswer = async (
  settings: Settings,
  request: HookRequest,
  { response, text, requestId, redact }: Answer,
  durationMs: number,
): Promise<void> => {
  const { status } = response
  if (settings.logger)
    write(settings, request, durationMs, { status, ...(requestId && { requestId: redact(requestId) }) })
  await settings.hooks.afterResponse?.({ request, response, body: text, requestId, durationMs })
}

/** Tells logger and hook of an attempt that ended without an answer. */
export const reportError = async (
  settings: Settings,
  request: HookRequest,
  error: unknown,
  durationMs: number,
): Promise<void> => {
  write(settings, request, durationMs, { error: error instanceof Error ? error.name : 'aborted' })
  await settings.hooks.afterError?.({ request, error, durationMs })
}
