import type { Delivery } from '@wabakit/server/control-types'
import { getMessage } from '../api/api-error.ts'
import { loadAttempts, sendOwn } from '../api/organization.ts'
import { reloadAll } from '../api/reload.ts'
import { notify } from '../state/notices.ts'

const pollMs = 400
/** Maximum time to wait for the response, in milliseconds. A later response only appears in the record. */
const maxWaitMs = 15_000

/**
 * Reports the result of the attempt that follows a resend or a retry, because that request succeeds even if the attempt fails.
 */
const reportAttempt = async (id: string, known: number): Promise<void> => {
  const end = performance.now() + maxWaitMs
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    const attempt = (await loadAttempts(id)).find(({ number }) => number > known)
    if (attempt === undefined) continue
    const { succeeded, status, error, diagnosis } = attempt
    const result = status ?? error
    if (succeeded) notify(`Delivered: the endpoint responded with ${result}.`)
    else
      notify([`The attempt failed again: ${result}.`, diagnosis?.text].filter(Boolean).join(' '), {
        tone: 'bad',
      })
    reloadAll()
    return
  }
}

/** Starts the next attempt immediately instead of at its scheduled time, and reports its result. */
export const retryNow = async (id: string): Promise<void> => {
  try {
    const { attempts } = await sendOwn<Delivery>(['deliveries', id])
    await sendOwn(['deliveries', id, 'retry'], { body: {} })
    notify('The next attempt starts now. Waiting for the response…', { tone: 'plain' })
    reloadAll()
    await reportAttempt(id, attempts)
  } catch (error) {
    notify(getMessage(error), { tone: 'bad' })
  }
}

export const resend = async (id: string, { newWebhookId = false } = {}): Promise<void> => {
  try {
    const { attempts } = await sendOwn<Delivery>(['deliveries', id])
    const { resent } = await sendOwn<{ resent: number }>(['deliveries', id, 'resend'], {
      body: { newWebhookId },
    })
    if (resent === 0) {
      throw new Error('Not resent: the delivery is waiting in its lane, or an attempt is in progress.')
    }
    const how = newWebhookId ? ' with a new webhook-id' : ''
    notify(`Resent${how}. Waiting for the response…`, { tone: 'plain' })
    reloadAll()
    await reportAttempt(id, attempts)
  } catch (error) {
    notify(getMessage(error), { tone: 'bad' })
  }
}
