import type { WebhookTrace } from '@wabakit/webhooks'
import { findTracingChannel } from '@wabakit/wire'

/** The outcome of a delivery in a receiver of this process. */
export type ReceiverOutcome = NonNullable<WebhookTrace['outcome']>

const outcomes = new WeakMap<object, ReceiverOutcome>()
const listeners = {
  asyncEnd: (trace: Partial<WebhookTrace>): void => {
    const { request, outcome } = trace
    if (request !== undefined && outcome !== undefined) outcomes.set(request, outcome)
  },
}

/**
 * Runs `send`, and returns the response with the outcome that the receiver reports on its tracing channel.
 * The outcome is `undefined` unless a receiver of this process handles this very request: a framework may copy it.
 */
export const observeOutcome = async (
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<{ readonly response: Response; readonly outcome: ReceiverOutcome | undefined }> => {
  const channel = findTracingChannel('wabakit.webhook')
  channel?.subscribe(listeners)
  try {
    const response = await send(request)
    return { response, outcome: outcomes.get(request) }
  } finally {
    channel?.unsubscribe(listeners)
  }
}
