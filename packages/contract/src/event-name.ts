import { acceptsFields } from './accepts-event.ts'
import type { EventName } from './webhook-event.ts'

/** Checks whether a value is the name of a known event. */
export const isEventName = (name: unknown): name is EventName =>
  typeof name === 'string' && Object.hasOwn(acceptsFields, name)

/** Names of all known events, in the order of {@link eventSchemas}. */
export const eventNames: readonly EventName[] = /* @__PURE__ */ (() =>
  Object.keys(acceptsFields).filter(isEventName))()
