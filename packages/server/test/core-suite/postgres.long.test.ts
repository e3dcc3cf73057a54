import { defineSuite } from './define-suite.ts'
import { openPostgresStores } from './postgres-stores.ts'

/** Cases that set the clock of leases forward. On PostgreSQL, it is the clock of the database. */
const withManualLeases = [
  'Dispatcher: the outcome of an attempt does not count if another worker has taken over the delivery',
]

defineSuite('the reference server on PostgreSQL', openPostgresStores, withManualLeases)
