import { isWebhookId } from '@wabakit/webhooks'
import type { Ids } from '../values/ids.ts'

/**
 * Makes the id of an event, which is also the `webhook-id` of its deliveries.
 *
 * @throws TypeError when `ids` is somebody's own and returns what no delivery could be signed with.
 */
export const newEventId = (ids: Ids): string => {
  const id = ids('evt')
  if (isWebhookId(id)) return id
  throw new TypeError(
    `ids('evt') returned ${JSON.stringify(id)}. Return visible ASCII characters without a full stop: the id is also the webhook-id of the event's deliveries.`,
  )
}
