import type { Event, Subscription } from '@wabakit/server/control-types'
import { sendOwn } from '../api/organization.ts'
import { perform } from '../api/reload.ts'

const getPath = (id: string): string => `/subscriptions/${encodeURIComponent(id)}`

/** Sends an example event to this subscription only. */
export const sendTestEvent = (id: string): Promise<boolean> =>
  perform(async () => {
    const { name } = await sendOwn<Event>(`${getPath(id)}/test-events`, { method: 'POST', body: {} })
    return `Sent a test ${name} event.`
  })

export const changeSubscription = (
  id: string,
  change: Readonly<Record<string, unknown>>,
): Promise<Subscription> => sendOwn(getPath(id), { method: 'PATCH', body: change })

export const setEnabled = (id: string, enabled: boolean): Promise<boolean> =>
  perform(async () => {
    await changeSubscription(id, { enabled })
    return enabled
      ? 'Enabled. Resend the skipped deliveries if you need them.'
      : 'Disabled. Its deliveries are skipped.'
  })
