import { listSecrets, signHeaders } from '../delivery/attempt.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { InputError } from '../errors/input-error.ts'
import type { AttemptRecord, DeliveryRecord, DeliveryStatus, SubscriptionRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { DeliveryQuery, DeliverySelection, Page } from '../store.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import {
  type ChangedPart,
  type ChangePage,
  changePages,
  createCancel,
  createResend,
  createResendCount,
  pagesPerPart,
} from './change-deliveries.ts'
import { checkSelection, type ListQuery, limitExamined } from './selection.ts'

/**
 * Selects deliveries to change. Omitted conditions match every delivery, but at least one condition is required.
 * @inline
 */
export type DeliveriesToChange = Omit<DeliverySelection, 'organizationId'> & {
  /**
   * Selects all deliveries if there is no condition.
   * @default false
   */
  readonly all?: boolean | undefined
}

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

/** The signed request of an attempt. */
export type SignedDelivery = {
  readonly headers: Readonly<Record<string, string>>
  /** The names of the headers of its subscription, whose values are secret. */
  readonly hiddenHeaders: readonly string[]
  readonly body: string
  /**
   * Changes since that time, because of which an attempt at that time sent a different request: the `secret`, the
   * `subscription` (possibly its secret), or the `webhook_id`.
   */
  readonly changed: readonly ('secret' | 'subscription' | 'webhook_id')[]
}

/** Lists the changes since an attempt that affect its signature. */
const listChanges = (
  signedAt: number,
  [{ webhookId, eventId }, { previousSecret, updatedAt }]: readonly [DeliveryRecord, SubscriptionRecord],
): SignedDelivery['changed'] => {
  const rotatedAt = previousSecret?.rotatedAt
  // A resend with a new id appends the time of the resend.
  const renamedAt = Number.parseInt(webhookId.slice(eventId.length + 1), 36)
  const isRotated = rotatedAt !== undefined && rotatedAt > signedAt
  return [
    ...(isRotated ? (['secret'] as const) : []),
    ...(rotatedAt === undefined && updatedAt > signedAt ? (['subscription'] as const) : []),
    ...(renamedAt > signedAt ? (['webhook_id'] as const) : []),
  ]
}

/** The deliveries of a server's events. */
export type Deliveries = {
  /** Lists an organization's deliveries in the order of their events, or in reverse. */
  list(organizationId: string, query?: ListQuery<DeliveryQuery>): Promise<Page<DeliveryRecord>>
  /** Lists the attempts of a delivery, in order. */
  attempts(organizationId: string, deliveryId: string): Promise<AttemptRecord[]>
  /** Lists the last attempt of each of these deliveries, if it has one. */
  lastAttempts(organizationId: string, deliveryIds: readonly string[]): Promise<AttemptRecord[]>
  /**
   * Sends finished and pending deliveries again, in the order of their events. Their schedules start over. Deliveries
   * to disabled subscriptions do not change.
   *
   * @returns the number of deliveries that are sent again.
   * @throws InputError if the selection is not an object of known conditions, or contains neither a condition nor `all:
   * true`.
   * @example
   * await server.deliveries.resend('acme', { statuses: ['skipped', 'exhausted'], finishedFrom, finishedBefore })
   */
  resend(organizationId: string, selection: DeliveriesToChange, options?: ResendOptions): Promise<number>
  /** Changes one part of the selection, at most 10,000 deliveries. Repeat it with each `nextCursor`. */
  resendPart(
    organizationId: string,
    selection: DeliveriesToChange,
    options?: ResendOptions & PartStart,
  ): Promise<ChangedPart>
  /**
   * Signs a delivery's event for a given time, as an attempt at that time would, with the current settings.
   *
   * @param signedAt - Unix time in milliseconds.
   * @returns the headers except the subscription's own, and the names of those; `undefined` if there is no such
   * delivery.
   */
  sign(organizationId: string, deliveryId: string, signedAt: number): Promise<SignedDelivery | undefined>
  /**
   * Finishes a delivery that is waiting or pending as `skipped`. It can be sent again.
   *
   * @returns false if there is no such delivery, or it is finished or being attempted.
   */
  cancel(organizationId: string, deliveryId: string): Promise<boolean>
  /**
   * Cancels all deliveries of a selection that are waiting or pending, the newest of each lane first, so that no lane
   * continues in the meantime.
   *
   * @returns the number of deliveries that were canceled.
   * @throws InputError as `resend` does.
   */
  cancelAll(
    organizationId: string,
    selection: DeliveriesToChange,
    options?: Pick<ResendOptions, 'dryRun'>,
  ): Promise<number>
  /** Changes one part of the selection, at most 10,000 deliveries. Repeat it with each `nextCursor`. */
  cancelPart(
    organizationId: string,
    selection: DeliveriesToChange,
    options?: Pick<ResendOptions, 'dryRun'> & PartStart,
  ): Promise<ChangedPart>
  /**
   * Brings the next attempt of a pending delivery forward to now. Its schedule continues.
   *
   * @returns false if there is no such delivery, or it is not pending.
   */
  retry(organizationId: string, deliveryId: string): Promise<boolean>
}

const conditions: readonly string[] = [
  'deliveryId',
  'eventId',
  'subscriptionId',
  'names',
  'subject',
  'digits',
  'occurredFrom',
  'occurredBefore',
  'text',
  'statuses',
  'finishedFrom',
  'finishedBefore',
  'responses',
] satisfies (keyof DeliveriesToChange)[]

/** Reads a selection. A condition that is misspelled or `undefined` by mistake must not select everything. */
const parseChange = (organizationId: string, toChange: DeliveriesToChange): DeliverySelection => {
  if (typeof toChange !== 'object' || toChange === null || Array.isArray(toChange)) {
    throw new InputError([{ path: '', message: 'must be an object, such as { deliveryId }' }])
  }
  const { all = false, ...selection } = toChange
  const unknown = Object.keys(selection).filter((name) => !conditions.includes(name))
  if (unknown.length > 0) {
    const message = `is not a condition; valid conditions: ${conditions.join(', ')}`
    throw new InputError(unknown.map((path) => ({ path, message })))
  }
  if (!all && Object.values(selection).every((value) => value === undefined)) {
    throw new InputError([{ path: '', message: 'must have a condition, or all: true to select everything' }])
  }
  checkSelection({ ...selection, organizationId })
  return { ...selection, organizationId }
}

/** Converts statuses to those in a store, which does not know which deliveries are being attempted. */
const toStored = (statuses: readonly DeliveryStatus[]): DeliveryStatus[] => [
  ...new Set(statuses.map((status) => (status === 'claimed' ? 'pending' : status))),
]

export type DeliveriesContext = ServerContext & Pick<Dispatcher, 'findAttempt'>

export const createDeliveries = ({ store, clock, findAttempt }: DeliveriesContext): Deliveries => {
  const planResend = (
    organizationId: string,
    toChange: DeliveriesToChange,
    { newWebhookId = false, dryRun = false }: ResendOptions,
  ): ChangePage => {
    const selection = parseChange(organizationId, toChange)
    if (dryRun) return createResendCount(store, selection)
    const now = clock.now()
    const webhookIdSuffix = newWebhookId ? `-${Math.floor(now).toString(36)}` : null
    return createResend(store, { selection, now, webhookIdSuffix })
  }

  const planCancel = (
    organizationId: string,
    toChange: DeliveriesToChange,
    { dryRun = false }: Pick<ResendOptions, 'dryRun'>,
  ): ChangePage =>
    createCancel(store, { selection: parseChange(organizationId, toChange), now: clock.now(), dryRun })

  const changeAll = async (change: ChangePage): Promise<number> =>
    (await changePages(change, { pages: Infinity })).count

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
        return endsAt === undefined ? delivery : { ...delivery, status: 'claimed', dueAt: endsAt }
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
      changeAll(planResend(organizationId, toChange, options)),
    resendPart: async (organizationId, toChange, { cursor, ...options } = {}) =>
      changePages(planResend(organizationId, toChange, options), { cursor, pages: pagesPerPart }),
    sign: async (organizationId, deliveryId, signedAt) => {
      checkIdentifiers({ organizationId, deliveryId })
      const page = { organizationId, limit: 1, order: 'newest_first' } as const
      const [delivery] = (await store.listDeliveries({ ...page, deliveryId })).items
      if (delivery === undefined) return undefined
      const { eventId, webhookId, subscriptionId } = delivery
      const [event] = (await store.listEvents({ ...page, eventId })).items
      const subscription = await store.findSubscription(organizationId, subscriptionId)
      if (event === undefined || subscription === undefined) return undefined
      const { payload, traceparent } = event
      const changed = listChanges(signedAt, [delivery, subscription])
      const signed = await signHeaders({
        secrets: changed.includes('secret') ? [subscription.secret] : listSecrets(subscription, signedAt),
        id: webhookId,
        payload,
        now: signedAt,
      })
      return {
        headers: { ...(traceparent !== null && { traceparent }), ...signed },
        hiddenHeaders: Object.keys(subscription.headers).sort(),
        body: payload,
        changed,
      }
    },
    cancel: async (organizationId, deliveryId) => {
      checkIdentifiers({ organizationId, deliveryId })
      if (findAttempt(deliveryId) !== undefined) return false
      return store.cancelDelivery({ organizationId, deliveryId, now: clock.now() })
    },
    cancelAll: async (organizationId, toChange, options = {}) =>
      changeAll(planCancel(organizationId, toChange, options)),
    cancelPart: async (organizationId, toChange, { cursor, ...options } = {}) =>
      changePages(planCancel(organizationId, toChange, options), { cursor, pages: pagesPerPart }),
    retry: async (organizationId, deliveryId) => {
      checkIdentifiers({ organizationId, deliveryId })
      if (findAttempt(deliveryId) !== undefined) return false
      return store.retryDelivery({ organizationId, deliveryId, now: clock.now() })
    },
  }
}
