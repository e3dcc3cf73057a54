import type { Random } from '@wabakit/core'
import {
  ApiFault,
  createApiFaults,
  FaultedEndpoint,
  FaultOptions,
  type PlannedFault,
} from '@wabakit/core/simulation'
import { MockUsageError } from '../errors.ts'
import { parseInput, parseName, toUsageError } from '../input.ts'
import { printValue } from '../matching/print.ts'
import {
  createDeliveryFaultLists,
  createDeliveryFaults,
  type DeliveryFaultLists,
  type DeliveryFaults,
  faultKinds,
} from './delivery-faults.ts'

/** Faults that a test requests. */
export type Faults = {
  /**
   * Applies a fault to the next request to an endpoint; with `times`, to the next n requests; with `times: 'always'`,
   * to all requests until the fault is removed. Faults apply in the order in which they were added.
   *
   * @returns a function that removes the fault.
   * @throws MockUsageError if the endpoint, the fault or an option is unknown or invalid, or the fault has no effect.
   * @example
   * mock.faults.next('groups.create', { status: 429, retryAfterSeconds: 2 }, { times: 3 })
   */
  next(endpoint: FaultedEndpoint, fault: ApiFault, options?: FaultOptions): () => void
  /** Faults for webhook deliveries. */
  readonly deliveries: DeliveryFaults
  /** Removes every fault, and sends the deliveries that `reorder` holds back. */
  clear(): void
  /**
   * Asserts that every fault that was not removed was applied: otherwise, the test has not tested what it set up.
   * Does not check `neverRetry` and faults with a `chance`, which may never have hit anything. Closing a mock also
   * prints its unused faults to the console.
   *
   * @throws MockUsageError that names the faults that were not applied.
   * @example
   * afterEach(() => mock.faults.assertUsed())
   */
  assertUsed(): void
}

const explainUnused = (faults: readonly string[]): string =>
  ['These faults were never applied. Check the name, `where` and `to`, or remove them:', ...faults].join(
    '\n  ',
  )

const describeFault = (caller: string, fault: FaultOptions): string[] =>
  fault.chance === undefined ? [`faults.${caller} ${printValue(fault)}`] : []

const describePlanned = (caller: string, planned: readonly PlannedFault<FaultOptions>[]): string[] =>
  planned.flatMap(({ hits, fault }) => (hits === 0 ? describeFault(caller, fault) : []))

const describeUnusedDeliveries = ({ neverRetry: _, ...lists }: DeliveryFaultLists): string[] => [
  ...Object.entries(lists).flatMap(([kind, { list }]) => describePlanned(`deliveries.${kind}`, list())),
  ...[...lists.reorder.idle].flatMap((fault) => describeFault('deliveries.reorder', fault)),
]

/** @param random - decides whether a fault with a `chance` hits. */
export const createFaults = (random: Random) => {
  const api = createApiFaults(random)
  const deliveries = createDeliveryFaultLists(random)
  const next: Faults['next'] = (endpoint, fault, options = {}) => {
    const added = {
      endpoint: parseName('faults.next: endpoint', FaultedEndpoint.options, endpoint),
      fault: parseInput('faults.next', ApiFault, fault),
      ...parseInput('faults.next: options', FaultOptions, options),
    }
    try {
      const { id } = api.add(added)
      return () => api.remove(id)
    } catch (error) {
      throw toUsageError('faults.next', error)
    }
  }
  /** Faults that were cleared before they were applied. */
  const cleared: string[] = []
  const describeApi = () => describePlanned('next', api.list())
  const describeUnused = () => [...describeApi(), ...describeUnusedDeliveries(deliveries)]
  const clearApi = (): void => {
    cleared.push(...describeApi())
    api.clear()
  }
  const clearDeliveries = (): void => {
    cleared.push(...describeUnusedDeliveries(deliveries))
    for (const { clear } of Object.values(deliveries)) clear()
  }
  const assertUsed = (): void => {
    const unused = describeUnused()
    if (unused.length > 0) throw new MockUsageError(`faults.assertUsed: ${explainUnused(unused)}`)
  }
  return {
    /** The part that tests see as `mock.faults`. */
    handle: { next, deliveries: createDeliveryFaults(deliveries), assertUsed },
    api: { ...api, clear: clearApi },
    deliveries,
    describeUnused,
    /** Delivery faults for the control API. Their ids begin with their kind. */
    byId: {
      add: (fault: Readonly<Record<string, unknown>>): string => {
        const kind = parseName('faults.deliveries.add: kind', faultKinds(deliveries), fault.kind)
        return `${kind}.${deliveries[kind].add(fault)}`
      },
      list: (): PlannedFault<Readonly<Record<string, unknown>>>[] =>
        faultKinds(deliveries).flatMap((kind) =>
          deliveries[kind].list().map((each) => ({ ...each, id: `${kind}.${each.id}` })),
        ),
      remove: (id: string): void => {
        for (const kind of faultKinds(deliveries)) {
          if (id.startsWith(`${kind}.`)) deliveries[kind].remove(id.slice(kind.length + 1))
        }
      },
      clear: clearDeliveries,
    },
    hasDeliveryFaults: (): boolean => Object.values(deliveries).some(({ list }) => list().length > 0),
    /** Returns a message about the unused faults, including cleared ones; `undefined` if there are none. */
    explainUnused: (): string | undefined => {
      const unused = [...cleared, ...describeUnused()]
      return unused.length > 0 ? explainUnused(unused) : undefined
    },
    clear: (): void => {
      clearApi()
      clearDeliveries()
    },
  }
}

export type TenantFaults = ReturnType<typeof createFaults>
