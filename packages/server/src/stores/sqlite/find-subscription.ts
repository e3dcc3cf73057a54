import type { DatabaseSync } from 'node:sqlite'
import type { Pace, SubscriptionRecord } from '@wabakit/core'
import { mapRows, mapTable } from './records.ts'
import type { Remember } from './remember.ts'

/** A subscription and its pace. */
export type SubscriptionState = { readonly record: SubscriptionRecord; readonly pace: Pace }

/**
 * Finds a subscription by its position. A removed subscription has a revision of -1 until its deliveries are removed.
 */
export type FindSubscription = (seq: number) => SubscriptionState | undefined

const { toRecord } = mapTable('subscriptions')
const paces = mapRows<{ pace: Pace }>({ pace: 'text' })

export const createFindSubscription = (database: DatabaseSync, remember: Remember): FindSubscription => {
  const find = database.prepare('select * from subscriptions where seq = ?')
  return remember(['subscriptions'], (seq: number) => {
    const row = find.get(seq)
    return row && { record: toRecord(row), pace: paces.toRecord(row).pace }
  })
}
