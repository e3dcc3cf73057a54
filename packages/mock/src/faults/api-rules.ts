import { type EndpointName, endpoints } from '@wabakit/contract'
import type { Random } from '@wabakit/core'
import * as z from 'zod/mini'
import { parseInput, parseName } from '../input.ts'
import { ApiFault } from './api-fault.ts'
import { type RuleOptions, ruleOptions } from './rule.ts'
import { createRuleBook } from './rule-book.ts'

/** Which requests a fault is about: an endpoint, or `*` for all of them. */
export type FaultedEndpoint = EndpointName | '*'

/** Faults of the public API. */
export type ApiFaults = {
  /**
   * The next request of this endpoint fails like this; with `times` the next n, with `times: 'always'` all of them
   * until the rule is removed. Faults that were added first hit first.
   *
   * @returns removes the rule.
   * @throws MockUsageError when the endpoint or a field of the fault is unknown.
   * @example
   * mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2 }, { times: 3 })
   */
  next(endpoint: FaultedEndpoint, fault: ApiFault, options?: RuleOptions): () => void
}

type ApiRule = RuleOptions & { readonly endpoint: FaultedEndpoint; readonly fault: ApiFault }

const names: readonly FaultedEndpoint[] = [...(Object.keys(endpoints) as EndpointName[]), '*']

const RuleOptionsInput = z.strictObject(ruleOptions())

/** Makes an empty set of rules; `random` decides about those that hit by chance. */
export const createApiRules = (random: Random) => {
  const book = createRuleBook<ApiRule>(random)
  const faults: ApiFaults = {
    next: (endpoint, fault, options = {}) =>
      book.add({
        endpoint: parseName('faults.next: endpoint', names, endpoint),
        fault: parseInput('faults.next', ApiFault, fault),
        ...parseInput('faults.next: options', RuleOptionsInput, options),
      }),
  }
  return {
    faults,
    /** The fault of a request; it counts as a hit. */
    take: (endpoint: EndpointName | undefined): ApiFault | undefined =>
      book.take((rule) => rule.endpoint === '*' || rule.endpoint === endpoint)?.fault,
    clear: book.clear,
  }
}

/** The rules of a tenant's API. */
export type ApiRules = ReturnType<typeof createApiRules>
