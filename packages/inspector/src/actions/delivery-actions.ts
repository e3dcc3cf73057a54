import { sendOwn } from '../api/organization.ts'
import { perform } from './perform.ts'

const post = <Result>(id: string, action: string, body: object = {}): Promise<Result> =>
  sendOwn(`/deliveries/${encodeURIComponent(id)}/${action}`, { method: 'POST', body })

export const resend = (id: string, { newWebhookId = false } = {}): Promise<boolean> =>
  perform(async () => {
    const { resent } = await post<{ resent: number }>(id, 'resend', { newWebhookId })
    if (resent === 0) return 'Nothing to resend: the delivery waits in its lane, or is being sent.'
    return newWebhookId ? 'Sent again, as if it were new.' : 'Sent again.'
  })

/** Starts the next attempt now, and not when the schedule says. */
export const retryNow = (id: string): Promise<boolean> =>
  perform(async () => {
    await post(id, 'retry')
    return 'The next attempt starts now.'
  })

export const cancel = (id: string): Promise<boolean> =>
  perform(async () => {
    await post(id, 'cancel')
    return 'Canceled. You can still resend it.'
  })
