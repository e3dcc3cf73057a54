import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { AttemptRecord, DeliveryRecord, DeliveryStatus } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { DeliveryQuery, Page } from '../store.ts'
import { checkIdentifiers } from '../values/storable-text.ts'
import {
  type ChangedPart,
  type ChangePage,
  changePages,
  createCancel,
  createResend,
  createResendCount,
  createRetry,
  type DeliveriesToChange,
  pagesPerPart,
  parseChange,
} from './change-in-parts.ts'
import { checkSelection, type ListQuery, limitExamined } from './selection.ts'
import { type SignedDelivery, signDelivery } from './sign-delivery.ts'

/** Options for sending deliveries again. */
export type ResendOptions = {
  /**
   * Uses a new `webhook-id`, so that a receiver that has handled the event handles it again.
   * @default false
   */
  readonly newWebhookId?: boolean | undefined
  /**
   * Counts the deliveries without changing them.
   * @default false
   */
  readonly dryRun?: boolean | undefined
}

/** The start of a part of a change. @inline */
export type PartStart = {
  /**
   * `nextCursor` of the previous part of the same change.
   * @default the first part
   */
  readonly cursor?: string | undefined
}

/** The deliveries of a server's events. */
export type Deliveries = {
  /** Lists an organization's deliveries in the order of their events, or in reverse. */
  list(organizationId: string, query?: ListQuery<DeliveryQuery>): Promise<Page<DeliveryRecord>>
  /** Lists the attempts of a delivery, in order. */
  attempts(organizationId: string, deliveryId: string): Promise<AttemptRecord[]>
  /** Lists the last attempt of each of these deliveries that has been attempted. */
  lastAttempts(organizationId: string, deliveryIds: readonly string[]): Promise<AttemptRecord[]>
  /**
   * Sends deliveries again that are finished or have been attempted, in the order of their events. Their schedules
   * start over. Deliveries to disabled subscriptions do not change.
   *
   * @returns the number of deliveries that are sent again.
   * @throws InputError if the selection is not an object of known conditions with valid values, or contains neither a
   * condition nor `all: true`.
   * @example
   * await server.deliveries.resend('acme', { statuses: ['skipped', 'exhausted'], finishedFrom, finishedBefore })
   */
  resend(organizationId: string, selection: DeliveriesToChange, options?: ResendOptions): Promise<number>
  /** Sends one part of the selection again, at most 10,000 deliveries. Repeat it with each `nextCursor`. */
  resendPart(
    organizationId: string,
    selection: DeliveriesToChange,
    options?: ResendOptions & PartStart,
  ): Promise<ChangedPart>
  /**
   * Signs a delivery's event for a given time, as an attempt at that time would, with the current settings.
   *
   * @param signedAt - Unix time in milliseconds.
   * @returns the request, with only the names of the subscription's headers; `undefined` if there is no such delivery.
   */
  sign(organizationId: string, deliveryId: string, signedAt: number): Promise<SignedDelivery | undefined>
  /**
   * Finishes a delivery that is waiting or pending as `skipped`. It can be sent again.
   *
   * @returns false if there is no such delivery, if it is finished, or if this process is attempting it. If another
   * process is, the delivery is canceled, and ends as `delivered` nevertheless if the attempt succeeds.
   */
  cancel(organizationId: string, deliveryId: string): Promise<boolean>
  /**
   * Cancels the unfinished deliveries of one part of the selection, at most 10,000, the newest of each lane first, so
   * that no lane continues in the meantime. As with `cancel`, a delivery that this process is attempting does not
   * change. Repeat it with each `nextCursor`.
   *
   * @throws InputError as `resend` does.
   */
  cancelPart(
    organizationId: string,
    selection: DeliveriesToChange,
    options?: Pick<ResendOptions, 'dryRun'> & PartStart,
  ): Promise<ChangedPart>
  /**
   * Brings the next attempt of a pending delivery forward to now. Its schedule continues.
   *
   * @returns false if there is no such delivery, or if it is not pending.
   */
  retry(organizationId: string, deliveryId: string): Promise<boolean>
  /**
   * Retries the pending deliveries of one part of the selection, at most 10,000. Repeat it with each `nextCursor`.
   *
   * @throws InputError as `resend` does.
   */
  retryPart(
    organizationId: string,
    selection: DeliveriesToChange,
    options?: Pick<ResendOptions, 'dryRun'> & PartStart,
  ): Promise<ChangedPart>
}

/** Converts statuses to the statuses in a store, because a store does not know which deliveries are being attempted. */
const toStored = (statuses: readonly DeliveryStatus[]): DeliveryStatus[] => [
  ...new Set(statuses.map((status) => (status === 'attempting' ? 'pending' : status))),
]

type DeliveriesContext = ServerContext & Pick<Dispatcher, 'findAttempt'>

export const createDeliveries = ({ store, clock, findAttempt }: DeliveriesContext): Deliveries => {
  const isAttempting = (deliveryId: string): boolean => findAttempt(deliveryId) !== undefined

  const planResend = (
    organizationId: string,
    toChange: DeliveriesToChange,
    { newWebhookId = false, dryRun = false }: ResendOptions,
  ): ChangePage => {
    const selection = parseChange(organizationId, toChange)
    if (dryRun) return createResendCount(store, selection)
    const now = clock.now()
    const webhookIdSuffix = newWebhookId ? `-${now.toString(36)}` : null
    return createResend(store, { selection, now, webhookIdSuffix })
  }

  return {
    list: async (organizationId, query = {}) => {
      checkSelection({ ...query, organizationId })
      const { statuses } = query
      const page = await store.listDeliveries({
        limit: 100,
        ...limitExamined(query),
        ...query,
        statuses: statuses && toStored(statuses),
        organizationId,
      })
      const items = page.items.map((delivery): DeliveryRecord => {
        const endsAt = delivery.status === 'pending' ? findAttempt(delivery.id) : undefined
        return endsAt === undefined ? delivery : { ...delivery, status: 'attempting', dueAt: endsAt }
      })
      return { ...page, items: items.filter(({ status }) => statuses?.includes(status) ?? true) }
    },
    attempts: async (organizationId, deliveryId) => {
      checkIdentifiers({ organizationId, deliveryId })
      return store.listAttempts(organizationId, deliveryId)
    },
    lastAttempts: async (organizationId, deliveryIds) => {
      checkIdentifiers({ organizationId })
      return store.listLastAttempts(organizationId, deliveryIds)
    },
    resend: async (organizationId, toChange, options = {}) =>
      (await changePages(planResend(organizationId, toChange, options))).count,
    resendPart: async (organizationId, toChange, { cursor, ...options } = {}) =>
      changePages(planResend(organizationId, toChange, options), { cursor, pages: pagesPerPart }),
    sign: async (organizationId, deliveryId, signedAt) => {
      checkIdentifiers({ organizationId, deliveryId })
      return signDelivery(store, { organizationId, deliveryId, signedAt })
    },
    cancel: async (organizationId, deliveryId) => {
      checkIdentifiers({ organizationId, deliveryId })
      if (isAttempting(deliveryId)) return false
      return store.cancelDelivery({ organizationId, deliveryId, now: clock.now() })
    },
    cancelPart: async (organizationId, toChange, { cursor, dryRun = false } = {}) => {
      const selection = parseChange(organizationId, toChange)
      const change = createCancel(store, { selection, now: clock.now(), dryRun, isAttempting })
      return changePages(change, { cursor, pages: pagesPerPart })
    },
    retry: async (organizationId, deliveryId) => {
      checkIdentifiers({ organizationId, deliveryId })
      if (isAttempting(deliveryId)) return false
      return store.retryDelivery({ organizationId, deliveryId, now: clock.now() })
    },
    retryPart: async (organizationId, toChange, { cursor, dryRun = false } = {}) => {
      const selection = parseChange(organizationId, toChange)
      const change = createRetry(store, { selection, now: clock.now(), dryRun, isAttempting })
      return changePages(change, { cursor, pages: pagesPerPart })
    },
  }
}
