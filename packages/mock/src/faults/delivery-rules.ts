import type { EventName } from '@wabakit/contract'
import type { ClaimedDelivery, Random } from '@wabakit/core'
import type * as z from 'zod/mini'
import { parseInput, parseName, type StrictObject } from '../input.ts'
import { differencesOf } from '../matching/match.ts'
import type { Duration } from '../time/duration.ts'
import {
  type DeliveryFault,
  type DeliveryFaultOptions,
  type DuplicateFault,
  deliveryFaults,
  type FaultedEvent,
  type TamperFault,
} from './delivery-fault.ts'
import type { RuleOptions } from './rule.ts'
import { createRuleBook } from './rule-book.ts'

/** Faults of webhook deliveries. Each returns a function that removes the rule. */
export type DeliveryFaults = {
  /**
   * The same signed request arrives again, with the same `webhook-id`.
   *
   * @example
   * mock.faults.deliveries.duplicate('CALL_ENDED')
   */
  duplicate(event: FaultedEvent, options?: DeliveryFaultOptions & Pick<DuplicateFault, 'copies'>): () => void
  /** An attempt gets lost; retries follow. `{ times: 'always' }` loses the event for good. */
  drop(event: FaultedEvent, options?: DeliveryFaultOptions): () => void
  /** An event arrives later by so much of the mock's time; others may overtake it. */
  delay(event: FaultedEvent, options: DeliveryFaultOptions & { readonly by: Duration }): () => void
  /** An attempt arrives changed after it was signed, as a forgery would. */
  tamper(
    event: FaultedEvent,
    options: DeliveryFaultOptions & Pick<TamperFault, 'part' | 'header'>,
  ): () => void
  /**
   * Events of one call or group arrive in this order; each is held back until those before it have arrived.
   *
   * @example
   * mock.faults.deliveries.reorder(['CALL_AI_SUMMARY', 'CALL_ENDED'])
   */
  reorder(events: readonly EventName[], options?: DeliveryFaultOptions): () => void
  /** Adds a fault given as plain data. */
  add(fault: DeliveryFault): () => void
}

/** What a rule is about. */
type Scope = {
  readonly event?: FaultedEvent | undefined
  readonly events?: readonly EventName[] | undefined
  readonly where?: Readonly<Record<string, unknown>> | undefined
}

const fits = ({ event, events = [], where }: Scope, claimed: ClaimedDelivery): boolean => {
  const { name, payload } = claimed.event
  const isNamed = event === '*' || event === name || events.some((each) => each === name)
  return isNamed && (where === undefined || differencesOf(where, JSON.parse(payload)).length === 0)
}

/** The rules of one kind. */
const createKind = <Shape extends z.core.$ZodShape>(
  kind: DeliveryFault['kind'],
  schema: StrictObject<Shape> & z.ZodMiniType<Scope & RuleOptions>,
  random: Random,
) => {
  const book = createRuleBook<z.output<typeof schema>>(random)
  return {
    add: (fault: object) => book.add(parseInput(`faults.deliveries.${kind}`, schema, { ...fault, kind })),
    /** The rule that hits this delivery now; it counts as a hit. */
    take: (claimed: ClaimedDelivery) => book.take((fault) => fits(fault, claimed)),
    clear: book.clear,
  }
}

/** Makes an empty set of rules; `random` decides about those that hit by chance. */
export const createDeliveryRules = (random: Random) => {
  const kinds = {
    duplicate: createKind('duplicate', deliveryFaults.duplicate, random),
    drop: createKind('drop', deliveryFaults.drop, random),
    delay: createKind('delay', deliveryFaults.delay, random),
    tamper: createKind('tamper', deliveryFaults.tamper, random),
    reorder: createKind('reorder', deliveryFaults.reorder, random),
  }
  const names = Object.keys(kinds) as readonly DeliveryFault['kind'][]
  const faults: DeliveryFaults = {
    duplicate: (event, options) => kinds.duplicate.add({ event, ...options }),
    drop: (event, options) => kinds.drop.add({ event, ...options }),
    delay: (event, options) => kinds.delay.add({ event, ...options }),
    tamper: (event, options) => kinds.tamper.add({ event, ...options }),
    reorder: (events, options) => kinds.reorder.add({ events, ...options }),
    add: (fault) => kinds[parseName('faults.deliveries.add: kind', names, fault.kind)].add(fault),
  }
  const clear = (): void => {
    for (const kind of Object.values(kinds)) kind.clear()
  }
  return { ...kinds, faults, clear }
}

/** The rules of a tenant's deliveries. */
export type DeliveryRules = ReturnType<typeof createDeliveryRules>
