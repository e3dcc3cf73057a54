import { authenticationCases } from './authentication.ts'
import type { Case } from './cases.ts'
import { createGroupCases } from './create-group.ts'
import { createValueCases } from './create-values.ts'
import { deliveryCases } from './delivery.ts'
import { erasureCases } from './erasure.ts'
import { getSummaryCases } from './get-summary.ts'
import { idempotencyCases } from './idempotency.ts'
import { identifierCases } from './identifiers.ts'
import { observationCases } from './observation.ts'
import { publicationCases } from './publication-rules.ts'
import { rateLimitCases } from './rate-limits.ts'
import { sequenceCases } from './sequences.ts'
import { subscriptionCases } from './subscriptions.ts'
import { tenancyCases } from './tenancy.ts'
import { transitionCases } from './transitions.ts'

export { inProcess, playOn, type Stage } from './stage.ts'

/** The rules of the reference server, as cases that any runtime can run. */
export const suite: readonly Case[] = [
  ...createGroupCases,
  ...createValueCases,
  ...idempotencyCases,
  ...authenticationCases,
  ...getSummaryCases,
  ...transitionCases,
  ...publicationCases,
  ...rateLimitCases,
  ...tenancyCases,
  ...subscriptionCases,
  ...deliveryCases,
  ...observationCases,
  ...erasureCases,
  ...identifierCases,
  ...sequenceCases,
]
