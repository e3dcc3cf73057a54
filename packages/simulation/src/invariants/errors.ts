import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'
import type { Rule, RuleContext } from './rule.ts'

/** Clients get no errors but those of a store that is not available. */
export const createErrorsRule = ({ violate }: RuleContext): Rule => ({
  observe: (observation) => {
    if (observation.kind !== 'rejection') return
    const { server, error } = observation
    if (error instanceof StorageUnavailableError || error instanceof StorageOutcomeUnknownError) return
    violate(
      'there are no unexpected errors',
      `${server}: ${error instanceof Error ? error.stack : String(error)}`,
    )
  },
})
