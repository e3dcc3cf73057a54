import { type EndpointName, endpoints } from '@wabakit/contract'
import type { Random } from '@wabakit/core'
import {
  type ApiFault,
  createApiFaults,
  type FaultedEndpoint,
  type FaultOptions,
} from '@wabakit/core/simulation'
import * as z from 'zod/mini'
import { parseInput, parseName, toUsageError } from '../input.ts'
import { faultOptions } from './delivery-fault.ts'
import { createDeliveryFaultLists, createDeliveryFaults, type DeliveryFaults } from './delivery-faults.ts'

/** Faults that a test requests. */
export type Faults = {
  /**
   * Makes the next request to an endpoint fail; with `times`, the next n requests; with `times: 'always'`, all requests
   * until the fault is removed. Faults apply in the order in which they were added.
   *
   * @returns a function that removes the fault.
   * @throws MockUsageError if the endpoint or a field of the fault is unknown or invalid.
   * @example
   * mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2 }, { times: 3 })
   */
  next(endpoint: FaultedEndpoint, fault: ApiFault, options?: FaultOptions): () => void
  /** Faults for webhook deliveries. */
  readonly deliveries: DeliveryFaults
  /** Removes every fault, and sends the deliveries that `reorder` holds back. */
  clear(): void
}

export const apiFaultSchema = z.strictObject({
  status: z.optional(z.int().check(z.minimum(200), z.maximum(599))),
  code: z.optional(z.string().check(z.minLength(1))),
  message: z.optional(z.string()),
  retryAfterSeconds: z.optional(z.union([z.number(), z.string()])),
  headers: z.optional(z.record(z.string(), z.string())),
  body: z.optional(z.unknown()),
  latencyMs: z.optional(z.number().check(z.minimum(0))),
  reset: z.optional(z.literal(true)),
  malformed: z.optional(z.literal(true)),
  html: z.optional(z.literal(true)),
  truncated: z.optional(z.literal(true)),
  offContract: z.optional(z.literal(true)),
  carriedOut: z.optional(z.boolean()),
} satisfies Record<keyof ApiFault, unknown>)

const optionsSchema = z.strictObject(faultOptions)

const names: readonly FaultedEndpoint[] = [...(Object.keys(endpoints) as EndpointName[]), '*']

/** @param random - decides whether a fault with a `chance` hits. */
export const createFaults = (random: Random) => {
  const api = createApiFaults(random)
  const deliveries = createDeliveryFaultLists(random)
  const next: Faults['next'] = (endpoint, fault, options = {}) => {
    const added = {
      endpoint: parseName('faults.next: endpoint', names, endpoint),
      fault: parseInput('faults.next', apiFaultSchema, fault),
      ...parseInput('faults.next: options', optionsSchema, options),
    }
    try {
      const { id } = api.add(added)
      return () => api.remove(id)
    } catch (error) {
      throw toUsageError('faults.next', error)
    }
  }
  return {
    /** The public part. */
    handle: { next, deliveries: createDeliveryFaults(deliveries) },
    api,
    deliveries,
    clear: (): void => {
      for (const { clear } of [api, ...Object.values(deliveries)]) clear()
    },
  }
}

export type TenantFaults = ReturnType<typeof createFaults>
