import { InputError } from '../errors/operation-errors.ts'
import type { DeliveryRecord, DeliveryStatus } from '../records.ts'
import type { DeliverySelection, Page, ResendQuery, Store } from '../store.ts'
import { checkSelection, isIndexed, limitExamined, maxExamined } from './selection.ts'

/** The result of one part of a change to many deliveries. @inline */
export type ChangedPart = {
  /** Number of deliveries that were changed, or that would be changed in a dry run. */
  readonly count: number
  /** Cursor of the next part; absent after the last one. */
  readonly nextCursor?: string | undefined
}

/**
 * Selects deliveries to change. Omitted conditions match every delivery, but at least one condition, or `all`, is
 * required.
 * @inline
 */
export type DeliveriesToChange = Omit<DeliverySelection, 'organizationId'> & {
  /**
   * Selects all deliveries if there is no condition.
   * @default false
   */
  readonly all?: boolean | undefined
}

/** Changes, or counts, the deliveries on one page. */
export type ChangePage = (cursor: string | undefined) => Promise<ChangedPart>

const pageSize = 500

/** Number of pages in a part. A part of a resend takes a few hundred milliseconds. */
export const pagesPerPart = 20

export const changePages = async (
  change: ChangePage,
  { cursor, pages = Infinity }: { readonly cursor?: string | undefined; readonly pages?: number } = {},
): Promise<ChangedPart> => {
  let count = 0
  let nextCursor = cursor
  for (let page = 0; page < pages; page++) {
    const changed = await change(nextCursor)
    count += changed.count
    nextCursor = changed.nextCursor
    if (nextCursor === undefined) break
  }
  return { count, ...(nextCursor !== undefined && { nextCursor }) }
}

const conditions = Object.keys(isIndexed)

/** Reads a selection. A condition that is misspelled, or `undefined` by mistake, must not select everything. */
export const parseChange = (organizationId: string, toChange: DeliveriesToChange): DeliverySelection => {
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

const readPage = (
  store: Store,
  selection: DeliverySelection,
  cursor: string | undefined,
): Promise<Page<DeliveryRecord>> =>
  store.listDeliveries({ ...selection, order: 'newest_first', limit: pageSize, maxExamined, cursor })

type Resend = Pick<ResendQuery, 'now' | 'webhookIdSuffix'> & { readonly selection: DeliverySelection }

/** Creates a change that resends deliveries. `resendDeliveries` in `store.ts` says which of their fields it sets. */
export const createResend =
  (store: Store, { selection, ...options }: Resend): ChangePage =>
  async (cursor) => {
    const page = { ...limitExamined(selection), limit: pageSize, cursor }
    const { resent: count, nextCursor } = await store.resendDeliveries({ ...selection, ...options, ...page })
    return { count, nextCursor }
  }

export const createResendCount = (store: Store, selection: DeliverySelection): ChangePage => {
  const enabled = new Map<string, boolean>()
  return async (cursor) => {
    const { items, nextCursor } = await readPage(store, selection, cursor)
    let count = 0
    for (const { organizationId, subscriptionId, status, failures, deferrals } of items) {
      if (!enabled.has(subscriptionId)) {
        const found = await store.findSubscription(organizationId, subscriptionId)
        enabled.set(subscriptionId, found?.disabledReason === null)
      }
      // Skips deliveries that have not been attempted since they were created or sent again, because a resend
      // would not change them.
      const isFresh = status === 'waiting' || (status === 'pending' && failures + deferrals === 0)
      if (enabled.get(subscriptionId) && !isFresh) count += 1
    }
    return { count, nextCursor }
  }
}

const cancelable: readonly DeliveryStatus[] = ['waiting', 'pending']

type ChangeOptions = {
  readonly selection: DeliverySelection
  readonly now: number
  readonly dryRun: boolean
  /** Returns whether a delivery is being attempted. It is neither changed nor counted. */
  isAttempting(deliveryId: string): boolean
}

export const createCancel = (
  store: Store,
  { selection, now, dryRun, isAttempting }: ChangeOptions,
): ChangePage => {
  const statuses = cancelable.filter((status) => selection.statuses?.includes(status) ?? true)
  return async (cursor) => {
    if (statuses.length === 0) return { count: 0 }
    const { items, nextCursor } = await readPage(store, { ...selection, statuses }, cursor)
    if (dryRun) return { count: items.filter(({ id }) => !isAttempting(id)).length, nextCursor }
    let count = 0
    const lanes = Map.groupBy(items, ({ subscriptionId, subject }) => `${subscriptionId} ${subject}`)
    const cancelLane = async (lane: readonly DeliveryRecord[]): Promise<void> => {
      // Starts with the newest. If the head were canceled first, the next delivery of the lane could be
      // attempted before it is canceled.
      for (const { organizationId, id } of lane) {
        // An attempt may have started since the page was read.
        if (isAttempting(id)) continue
        if (await store.cancelDelivery({ organizationId, deliveryId: id, now })) count += 1
      }
    }
    await Promise.all(Array.from(lanes.values(), cancelLane))
    return { count, nextCursor }
  }
}

export const createRetry = (
  store: Store,
  { selection, now, dryRun, isAttempting }: ChangeOptions,
): ChangePage => {
  const isSelected = selection.statuses?.includes('pending') ?? true
  return async (cursor) => {
    if (!isSelected) return { count: 0 }
    const { items, nextCursor } = await readPage(store, { ...selection, statuses: ['pending'] }, cursor)
    const pending = items.filter(({ id }) => !isAttempting(id))
    if (dryRun) return { count: pending.length, nextCursor }
    const retried = await Promise.all(
      pending.map(({ organizationId, id }) => store.retryDelivery({ organizationId, deliveryId: id, now })),
    )
    return { count: retried.filter(Boolean).length, nextCursor }
  }
}
