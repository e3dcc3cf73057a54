import { defineSuite } from './define-suite.ts'
import { openPostgresStores } from './postgres-stores.ts'

/** Sets the clock of leases forward, which on PostgreSQL is that of the database. */
const withManualLeases = [
  'Dispatcher: the outcome of an attempt does not count if another worker has taken over the delivery',
]

defineSuite('the reference server on PostgreSQL', openPostgresStores, withManualLeases)
