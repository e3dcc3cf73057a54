import type { EventRecord } from '../records.ts'
import type { Ids } from '../values/ids.ts'
import type { EventDraft } from './event-draft.ts'
import type { Emission, EventEmitter } from './event-emitter.ts'
import { newEventId } from './event-id.ts'

/** A draft that got its id: what the store keeps, and what listeners hear once it is kept. */
export type PreparedEvent = { readonly record: EventRecord; readonly emission: Emission }

/** Gives drafts their ids, and tells listeners once the store has them. */
export type EventLog = {
  prepare(draft: EventDraft): PreparedEvent
  emit(prepared: PreparedEvent | null): void
}

/** Makes the log. */
export const createEventLog = ({ ids, emitter }: { ids: Ids; emitter: EventEmitter }): EventLog => ({
  prepare: ({ event, ...about }) => {
    const id = newEventId(ids)
    return {
      record: { id, ...about, name: event.event, payload: JSON.stringify(event) },
      emission: { id, organizationId: about.organizationId, occurredAt: about.occurredAt, event },
    }
  },
  emit: (prepared) => {
    if (prepared !== null) emitter.emit(prepared.emission)
  },
})
