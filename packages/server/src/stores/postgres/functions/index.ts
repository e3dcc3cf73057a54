import { createHash } from 'node:crypto'
import { changeFunctions } from './changes.ts'
import { eventFunctions } from './events.ts'
import { figureFunctions } from './figures.ts'
import { locks } from './locks.ts'
import { removalFunctions } from './removals.ts'
import { resendingFunctions } from './resending.ts'
import { settlementFunctions } from './settlements.ts'
import { subscriptionFunctions } from './subscriptions.ts'
import { tenancyFunctions } from './tenancy.ts'
import { tokenBucketFunctions } from './token-buckets.ts'
import { workerFunctions } from './workers.ts'
import { writeCheckFunctions } from './write-check.ts'

/** The SQL functions of this version. They call each other without a schema name. */
export const functions: string = [
  locks,
  eventFunctions,
  removalFunctions,
  tenancyFunctions,
  subscriptionFunctions,
  changeFunctions,
  settlementFunctions,
  resendingFunctions,
  tokenBucketFunctions,
  workerFunctions,
  figureFunctions,
  writeCheckFunctions,
].join('')

/** The schema of these functions. Its name contains a hash of their source, so that versions do not share functions. */
export const functionSchema = `wabakit_${createHash('sha256').update(functions).digest('hex').slice(0, 12)}`
