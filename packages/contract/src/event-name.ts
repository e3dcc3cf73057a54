import { acceptsEvent } from './accepts-event.ts'
import type { EventName } from './webhook-event.ts'

/** Tells whether `name` is the name of a known event. */
export const isEventName = (name: unknown): name is EventName =>
  typeof name === 'string' && Object.hasOwn(acceptsEvent, name)

/** The names of all known events. */
export const eventNames: readonly EventName[] = /* @__PURE__ */ (() =>
  Object.keys(acceptsEvent).filter(isEventName))()
