import type { SubscriptionRecord } from '../records.ts'
import type { Store } from '../store.ts'
import type { Contents, Database } from './tables.ts'

const databases = new WeakMap<Store, Database>()

/** Makes the records of a store available to {@link saveRecords}. */
export const register = (store: Store, database: Database): Store => {
  databases.set(store, database)
  return store
}

const select = <Value>(all: ReadonlyMap<string, Value>, where: (value: Value) => boolean) =>
  new Map([...all].filter(([, value]) => where(value)))

/**
 * Lists the records of a memory store without API keys, whose hashes could be compared with those of known keys, and
 * without the subscriptions that `isHidden` selects and their deliveries.
 *
 * @throws TypeError if the store is not a memory store.
 */
export const saveRecords = (
  store: Store,
  isHidden: (subscription: SubscriptionRecord) => boolean,
): Contents => {
  const database = databases.get(store)
  if (database === undefined) throw new TypeError('Only the records of a memory store can be saved.')
  const { organizations, queues, events, deliveries } = database
  const saved = Array.from(organizations, ([id, tables]) => {
    const subscriptions = select(tables.subscriptions, ({ record }) => !isHidden(record))
    const shown = tables.deliveries.filter(({ owner }) => !isHidden(owner.record))
    return [id, { ...tables, keys: new Map(), subscriptions, deliveries: shown }] as const
  })
  return {
    organizations: new Map(saved),
    queues: select(queues, ({ record }) => !isHidden(record)),
    events,
    deliveries: select(deliveries, ({ owner }) => !isHidden(owner.record)),
  }
}
