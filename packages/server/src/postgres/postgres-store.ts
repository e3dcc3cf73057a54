import type { Store } from '@wabakit/core'
import { createBacklogMeasure } from './backlog.ts'
import { createChanges } from './changes.ts'
import { createHistory } from './history.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { createQueue } from './queue.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createTenancy } from './tenancy.ts'

/**
 * A store in PostgreSQL, which any number of processes share. Due times and leases go by the database's clock.
 * Closing the store closes the database.
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
  ...createQueue(database),
  ...createBacklogMeasure(database),
  close: database.close,
})
