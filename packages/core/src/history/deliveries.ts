import type { AttemptRecord, DeliveryRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { DeliveryQuery, DeliverySelection, Page } from '../store.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import { checkSelection, limitExamined } from './selection.ts'

/** Selects deliveries to list. */
export type DeliveryListQuery = Partial<Omit<DeliveryQuery, 'organizationId'>>

/** Selects deliveries to send again. Omitted conditions do not restrict. */
export type ResendSelection = Omit<DeliverySelection, 'organizationId'>

/** Options for sending deliveries again. */
export type ResendOptions = {
  /**
   * Uses a new `webhook-id`, so that a receiver that has handled the event handles it again.
   * @default false
   */
  readonly newWebhookId?: boolean | undefined
}

/** The deliveries of a server's events. */
export type Deliveries = {
  /** Lists deliveries of an organization in the order of their events, or in reverse. */
  list(organizationId: string, query?: DeliveryListQuery): Promise<Page<DeliveryRecord>>
  /** Lists the attempts of a delivery, in order. */
  attempts(organizationId: string, deliveryId: string): Promise<AttemptRecord[]>
  /**
   * Sends finished and pending deliveries again, in the order of their events. Their schedule starts again. Deliveries of
   * disabled subscriptions do not change.
   *
   * @returns the number of deliveries that are sent again.
   * @example
   * await server.deliveries.resend('acme', { subscriptionId, statuses: ['skipped', 'exhausted'], occurredFrom })
   */
  resend(organizationId: string, selection: ResendSelection, options?: ResendOptions): Promise<number>
}

const batch = 500

export const createDeliveries = ({ store, clock }: ServerContext): Deliveries => ({
  list: async (organizationId, query = {}) => {
    checkSelection({ ...query, organizationId })
    return store.listDeliveries({ limit: 100, ...limitExamined(query), ...query, organizationId })
  },
  attempts: async (organizationId, deliveryId) => {
    checkIdentifiers({ organizationId, deliveryId })
    return store.listAttempts(organizationId, deliveryId)
  },
  resend: async (organizationId, selection, { newWebhookId = false } = {}) => {
    checkSelection({ ...selection, organizationId })
    const now = clock.now()
    const pages = { ...selection, organizationId, limit: batch, ...limitExamined(selection) }
    const webhookIdSuffix = newWebhookId ? `-${Math.floor(now).toString(36)}` : null
    let resent = 0
    let cursor: string | undefined
    do {
      const outcome = await store.resendDeliveries({ ...pages, now, webhookIdSuffix, cursor })
      resent += outcome.resent
      cursor = outcome.nextCursor
    } while (cursor !== undefined)
    return resent
  },
})
