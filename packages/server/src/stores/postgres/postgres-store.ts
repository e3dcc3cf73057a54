import type { Store } from '@wabakit/core'
import { createBacklogMeasure } from './backlog.ts'
import { createChanges } from './changes.ts'
import { createDeliveryQueue } from './delivery-queue.ts'
import { createFigures } from './figures.ts'
import { checkCreates } from './functions/write-check.ts'
import { createHistory } from './history.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createTenancy } from './tenancy.ts'

/**
 * Creates a store in PostgreSQL. Any number of processes can share it. Leases use the database's clock. Closing the
 * store closes the database.
 *
 * @example
 * const database = await openPostgres({ url: 'postgres://wabakit@localhost/wabakit' })
 * const store = postgresStore(database)
 */
export const postgresStore = (database: PostgresDatabase): Store => ({
  ...createTenancy(database),
  ...createChanges(database),
  ...createSubscriptions(database),
  ...createHistory(database),
  ...createDeliveryQueue(database),
  ...createBacklogMeasure(database),
  ...createFigures(database),
  checkWritable: () => checkCreates(database.query),
  close: database.close,
})
