import type { Event, Subscription, SubscriptionWithSecret } from '@wabakit/server/control-types'
import { sendOwn } from '../api/organization.ts'
import { loadSubscriptions } from '../views/choices.ts'
import { perform } from './perform.ts'

const getPath = (id: string): string => `/subscriptions/${encodeURIComponent(id)}`

/** Sends an example of an event to this subscription only. */
export const sendTestEvent = (id: string): Promise<boolean> =>
  perform(async () => {
    const { name } = await sendOwn<Event>(`${getPath(id)}/test-events`, { method: 'POST', body: {} })
    return `Sent a test of ${name}.`
  })

export const setEnabled = (id: string, enabled: boolean): Promise<boolean> =>
  perform(async () => {
    await sendOwn<Subscription>(getPath(id), { method: 'PATCH', body: { enabled } })
    await loadSubscriptions()
    return enabled
      ? 'Enabled. Resend what was skipped if you need it.'
      : 'Disabled. Its deliveries are skipped.'
  })

/** Replaces the secret. The old one also signs for 24 hours. */
export const rotateSecret = async (id: string): Promise<string | undefined> => {
  let secret: string | undefined
  await perform(async () => {
    const path = `${getPath(id)}/rotate-secret`
    secret = (await sendOwn<SubscriptionWithSecret>(path, { method: 'POST', body: {} })).secret
    return 'Rotated. The old secret also signs for 24 hours.'
  })
  return secret
}
