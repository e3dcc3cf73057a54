import type { Attempt, Delivery, Event } from '@wabakit/server/control-types'
import { loadRequest, sendOwn } from '../api/organization.ts'
import { perform } from '../api/reload.ts'
import { formatCurl, formatFixture, formatTest } from '../format/snippets.ts'
import { copy } from '../parts/copy-button.tsx'

const post = <Result>(id: string, action: string, body: object = {}): Promise<Result> =>
  sendOwn(`/deliveries/${encodeURIComponent(id)}/${action}`, { method: 'POST', body })

export const resend = (id: string, { newWebhookId = false } = {}): Promise<boolean> =>
  perform(async () => {
    const { resent } = await post<{ resent: number }>(id, 'resend', { newWebhookId })
    if (resent === 0) return 'Nothing to resend: the delivery waits in its lane, or is being sent.'
    return newWebhookId ? 'Resent with a new webhook-id.' : 'Resent.'
  })

/** Starts the next attempt now instead of at its scheduled time. */
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

/** Loads a delivery's event and the id of its subscription. */
export const loadEvent = async (deliveryId: string): Promise<{ event: Event; subscriptionId: string }> => {
  const { eventId, subscriptionId } = await sendOwn<Delivery>(`/deliveries/${encodeURIComponent(deliveryId)}`)
  return { event: await sendOwn<Event>(`/events/${encodeURIComponent(eventId)}`), subscriptionId }
}

const findLastAttempt = async (deliveryId: string): Promise<number> => {
  const path = `/deliveries/${encodeURIComponent(deliveryId)}/attempts`
  const last = (await sendOwn<{ items: Attempt[] }>(path)).items.at(-1)
  if (last === undefined) throw new Error('There has been no attempt yet. Resend the delivery, then copy it.')
  return last.number
}

const build = {
  curl: async (id: string, attempt?: number) =>
    formatCurl(await loadRequest(id, attempt ?? (await findLastAttempt(id)))),
  json: async (id: string) => formatFixture((await loadEvent(id)).event),
  vitest: async (id: string) => formatTest((await loadEvent(id)).event),
}

const names = { curl: 'a curl command', json: 'a JSON fixture', vitest: 'a vitest test' } as const

/** Copies the string that `write` returns, and shows which form was copied. */
export const copyAs = (form: keyof typeof names, write: () => Promise<string>): Promise<boolean> =>
  perform(async () => {
    await copy(await write())
    return `Copied as ${names[form]}.`
  })

/** Copies a delivery in one of the forms. `curl` copies one attempt, by default the last. */
export const copyDelivery = (form: keyof typeof build, id: string, attempt?: number): Promise<boolean> =>
  copyAs(form, () => build[form](id, attempt))
