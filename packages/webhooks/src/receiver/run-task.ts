import { WebhookHandlerTimeoutError } from '../errors/webhook-handler-timeout-error.ts'
import type { DeliveryContext } from './delivery-context.ts'
import type { Task } from './registry.ts'

/**
 * Calls a handler, within its time when it has one.
 *
 * @throws what the handler throws, or WebhookHandlerTimeoutError.
 */
export const runTask = async <Transaction>(
  { run, timeoutMs }: Task<Transaction>,
  context: DeliveryContext<Transaction>,
): Promise<void> => {
  if (timeoutMs === undefined) {
    await run(context)
    return
  }
  const deadline = new AbortController()
  const signal = AbortSignal.any([context.signal, deadline.signal])
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new WebhookHandlerTimeoutError(timeoutMs)
      deadline.abort(error)
      reject(error)
    }, timeoutMs)
  })
  try {
    await Promise.race([run({ ...context, signal }), expired])
  } finally {
    clearTimeout(timer)
  }
}
