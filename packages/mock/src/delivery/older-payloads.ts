import type { EventRecord, Store } from '@wabakit/core'

const withoutName = (event: EventRecord): EventRecord => {
  const { event: _, ...payload } = JSON.parse(event.payload)
  return { ...event, payload: JSON.stringify(payload) }
}

/** A store whose group events are told as older services tell them: without the field `event`. */
export const withOlderGroupPayloads = (store: Store): Store => ({
  ...store,
  createGroup: (change) => store.createGroup({ ...change, event: withoutName(change.event) }),
  saveParticipant: (change) => store.saveParticipant({ ...change, event: withoutName(change.event) }),
})
