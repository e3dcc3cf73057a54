import { tables } from './0001-tables.ts'
import { records } from './0002-records.ts'
import { changes } from './0003-changes.ts'
import { deliveries } from './0004-deliveries.ts'
import { tokenBuckets } from './0005-token-buckets.ts'

/** The schema, step by step: a database of version n has seen the first n. A step that was released is never changed. */
export const migrations: readonly string[] = [tables, records, changes, deliveries, tokenBuckets]
