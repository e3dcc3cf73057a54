import type { EventName } from '@wabakit/contract'
import type { LoadedDelivery, Random } from '@wabakit/core'
import { createFaultList, type Duration, type FaultOptions } from '@wabakit/core/simulation'
import type * as z from 'zod/mini'
import { parseInput, parseName, type StrictObject } from '../input.ts'
import { findDifferences } from '../matching/find-differences.ts'
import {
  DelayFault,
  type DeliveryFault,
  type DeliveryFaultOptions,
  DropFault,
  DuplicateFault,
  type FaultedEvent,
  NeverRetryFault,
  ReorderFault,
  TamperFault,
  TimeOutFault,
} from './delivery-fault.ts'

/** Faults for webhook deliveries. Each function returns a function that removes the fault. */
export type DeliveryFaults = {
  /**
   * Sends the same request again. In the profile `reference`, it has the same `webhook-id` and signature.
   *
   * @example
   * mock.faults.deliveries.duplicate('CALL_ENDED')
   * mock.faults.deliveries.duplicate('CALL_ENDED', { concurrent: true }) // at the same time, not after the response
   */
  duplicate(
    event: FaultedEvent,
    options?: DeliveryFaultOptions & Pick<DuplicateFault, 'copies' | 'concurrent'>,
  ): () => void
  /** Drops an attempt; retries follow, if the profile has any. `{ times: 'always' }` drops every attempt. */
  drop(event: FaultedEvent, options?: DeliveryFaultOptions): () => void
  /**
   * Delivers an attempt and then loses the response, as if the handler were slow. Retries follow, if the profile has
   * any.
   */
  timeOut(event: FaultedEvent, options?: DeliveryFaultOptions): () => void
  /**
   * Gives up on a delivery as soon as an attempt fails, like a vendor without documented retries. By default,
   * the fault hits every event until it is removed.
   *
   * @example
   * mock.faults.deliveries.neverRetry()
   * mock.faults.deliveries.drop('*', { times: 'always', chance: 0.05 }) // these events are lost for good
   */
  neverRetry(event?: FaultedEvent, options?: DeliveryFaultOptions): () => void
  /** Delays an event on the mock's clock; others may overtake it. */
  delay(event: FaultedEvent, options: DeliveryFaultOptions & { readonly by: Duration }): () => void
  /** Changes an attempt after it was signed, like a forged webhook. */
  tamper(
    event: FaultedEvent,
    options: DeliveryFaultOptions & Pick<TamperFault, 'part' | 'header'>,
  ): () => void
  /**
   * Delivers events of one call or group in this order. Each is held back until the ones before it have been attempted.
   *
   * @example
   * mock.faults.deliveries.reorder(['CALL_AI_SUMMARY', 'CALL_ENDED'])
   */
  reorder(events: readonly EventName[], options?: DeliveryFaultOptions): () => void
  /** Adds a fault given as plain data. */
  add(fault: DeliveryFault): () => void
}

type Scope = DeliveryFaultOptions & {
  readonly event?: FaultedEvent | undefined
  readonly events?: readonly EventName[] | undefined
}

/** Returns whether a fault may hit the deliveries to a subscription. */
export const isAimedAt = ({ to }: Scope, { id }: LoadedDelivery['subscription']): boolean =>
  to === undefined || (typeof to === 'string' ? to === id : to.ids.includes(id))

const appliesTo = (fault: Scope, { event: { name, payload }, subscription }: LoadedDelivery): boolean => {
  const { event, events = [], where } = fault
  const isNamed = event === '*' || event === name || events.some((each) => each === name)
  if (!isNamed || !isAimedAt(fault, subscription)) return false
  return where === undefined || findDifferences(where, JSON.parse(payload)).length === 0
}

const createKind = <Shape extends z.core.$ZodShape>(
  kind: DeliveryFault['kind'],
  schema: StrictObject<Shape> & z.ZodMiniType<Scope & FaultOptions>,
  random: Random,
) => {
  const list = createFaultList<z.output<typeof schema>>(random)
  return {
    add: (fault: object) => {
      return list.add(parseInput(`faults.deliveries.${kind}`, schema, { ...fault, kind })).id
    },
    /** Returns the fault that hits this delivery, and counts the hit. */
    take: (attempted: LoadedDelivery, canHit: (fault: z.output<typeof schema>) => boolean = () => true) =>
      list.take((fault) => appliesTo(fault, attempted) && canHit(fault)),
    list: list.list,
    remove: list.remove,
    clear: list.clear,
  }
}

/**
 * Creates empty lists of delivery faults, one for each kind.
 *
 * @param random - decides whether a fault with a `chance` hits.
 */
export const createDeliveryFaultLists = (random: Random) => {
  const reorder = createKind('reorder', ReorderFault, random)
  /** Reorder faults that apply to a call or group, but have not changed the order of its events yet. */
  const idle = new Set<ReorderFault>()
  const clear = (): void => {
    reorder.clear()
    idle.clear()
  }
  return {
    duplicate: createKind('duplicate', DuplicateFault, random),
    drop: createKind('drop', DropFault, random),
    timeOut: createKind('timeOut', TimeOutFault, random),
    neverRetry: createKind('neverRetry', NeverRetryFault, random),
    delay: createKind('delay', DelayFault, random),
    tamper: createKind('tamper', TamperFault, random),
    reorder: { ...reorder, clear, idle },
  }
}

export type DeliveryFaultLists = ReturnType<typeof createDeliveryFaultLists>

export const faultKinds = (lists: DeliveryFaultLists) =>
  Object.keys(lists) as readonly DeliveryFault['kind'][]

export const createDeliveryFaults = (lists: DeliveryFaultLists): DeliveryFaults => {
  /** Adds a fault to the list of its kind, and returns a function that removes it. */
  const plan = (kind: unknown, fault: object): (() => void) => {
    const list = lists[parseName('faults.deliveries.add: kind', faultKinds(lists), kind)]
    const id = list.add(fault)
    return () => list.remove(id)
  }
  return {
    duplicate: (event, options) => plan('duplicate', { event, ...options }),
    drop: (event, options) => plan('drop', { event, ...options }),
    timeOut: (event, options) => plan('timeOut', { event, ...options }),
    neverRetry: (event = '*', options) => plan('neverRetry', { event, times: 'always', ...options }),
    delay: (event, options) => plan('delay', { event, ...options }),
    tamper: (event, options) => plan('tamper', { event, ...options }),
    reorder: (events, options) => plan('reorder', { events, ...options }),
    add: (fault) => plan(fault.kind, fault),
  }
}
