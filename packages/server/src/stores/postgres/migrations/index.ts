import { tables } from './0001-tables.ts'
import { records } from './0002-records.ts'
import { locks } from './0003-locks.ts'
import { events } from './0004-events.ts'
import { tenancy } from './0005-tenancy.ts'
import { changes } from './0006-changes.ts'
import { subscriptions } from './0007-subscriptions.ts'
import { claims } from './0008-claims.ts'
import { settlements } from './0009-settlements.ts'
import { retention } from './0010-retention.ts'
import { tokenBuckets } from './0011-token-buckets.ts'
import { dueTimes } from './0012-due-times.ts'
import { workers } from './0013-workers.ts'
import { deferrals } from './0014-deferrals.ts'
import { removals } from './0015-removals.ts'

/**
 * The schema in steps. A database of version n has had the first n. A released step never changes, except
 * for functions that a later step creates again.
 */
export const migrations: readonly string[] = [
  tables,
  records,
  locks,
  events,
  tenancy,
  changes,
  subscriptions,
  claims,
  settlements,
  retention,
  tokenBuckets,
  dueTimes,
  workers,
  deferrals,
  removals,
]
