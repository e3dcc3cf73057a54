import type { PublishedEvent, PublishedEventName, PublishedEventOf } from '@wabakit/contract'
import type { EventRecord } from '../records.ts'
import type { Ids } from '../values/ids.ts'
import { callListener } from './call-listener.ts'

/** An event to publish. By default, it does not wait for another event, and has no `traceparent`. */
export type EventDraft = Pick<
  EventRecord,
  'organizationId' | 'subject' | 'channel' | 'digits' | 'occurredAt'
> &
  Partial<Pick<EventRecord, 'waitsFor' | 'traceparent'>> & { readonly event: PublishedEvent }

/** Returns the subject of a group's events, which are delivered in order. */
export const toGroupSubject = (groupId: string): string => `group:${groupId}`

/** Returns the subject of a call's events, which are delivered in order. */
export const toCallSubject = (callId: string): string => `call:${callId}`

/** A published event. */
export type Publication<Event extends PublishedEvent = PublishedEvent> = {
  /** The event's id; also the `webhook-id` of its deliveries, until one is sent again with a new `webhook-id`. */
  readonly id: string
  readonly organizationId: string
  /** Unix time in milliseconds. */
  readonly occurredAt: number
  readonly event: Event
}

/** The event that a listener for `Name` receives. */
export type PublicationEventOf<Name extends PublishedEventName | '*'> = Name extends PublishedEventName
  ? PublishedEventOf<Name>
  : PublishedEvent

/**
 * Called with each event that has the registered name. May be async. Its errors go to `onError` and have no other
 * effect.
 */
export type PublicationListener<Name extends PublishedEventName | '*' = '*'> = (
  event: PublicationEventOf<Name>,
  publication: Publication<PublicationEventOf<Name>>,
) => unknown

/** An event with its id: the record for the store, and the publication that listeners get once the event is stored. */
type PreparedEvent = { readonly record: EventRecord; readonly publication: Publication }

/** An event of an organization, or a change of one of its subscriptions, that figures count. */
type Counted = {
  readonly organizationId: string
  /** `''` for an event. */
  readonly subscriptionId: string
  readonly name: 'events' | 'rotated' | 'disabled'
}

type Registration = { readonly listener: PublicationListener }

/**
 * Assigns ids to events, and reports events to listeners once they are stored.
 *
 * @param onError - receives errors from listeners.
 */
export const createEventLog = (ids: Ids, onError: (error: unknown) => void) => {
  /** The arrays are never modified, so that a listener may add and remove listeners. */
  const registrations = new Map<PublishedEventName | '*', readonly Registration[]>()
  const counters = new Set<(counted: Counted) => void>()
  const count = (counted: Counted): void => {
    for (const counter of counters) counter(counted)
  }

  return {
    prepare: (draft: EventDraft): PreparedEvent => {
      const id = ids('evt')
      const { event, organizationId, occurredAt } = draft
      // Each field is named, because spreading took a tenth of the time of creating a group.
      const record: EventRecord = {
        id,
        organizationId,
        name: event.event,
        subject: draft.subject,
        channel: draft.channel,
        digits: draft.digits,
        payload: JSON.stringify(event),
        waitsFor: draft.waitsFor ?? null,
        traceparent: draft.traceparent ?? null,
        hasCustomPayload: false,
        occurredAt,
      }
      return { record, publication: { id, organizationId, occurredAt, event } }
    },
    report: (prepared: PreparedEvent | null): void => {
      if (prepared === null) return
      const { publication } = prepared
      count({ organizationId: publication.organizationId, subscriptionId: '', name: 'events' })
      for (const name of [publication.event.event, '*'] as const) {
        for (const { listener } of registrations.get(name) ?? [])
          callListener(() => listener(publication.event, publication), onError)
      }
    },
    /** Counts a simulated event that is stored, which listeners do not receive, or a change of a subscription. */
    count,
    /**
     * Calls `counter` for each event that this process stores, simulated ones included, but not events about
     * subscription health, and for each counted change.
     */
    onCount: (counter: (counted: Counted) => void): (() => void) => {
      counters.add(counter)
      return () => counters.delete(counter)
    },
    on: <Name extends PublishedEventName | '*'>(
      name: Name,
      listener: PublicationListener<Name>,
    ): (() => void) => {
      // A listener is called only with events that have its registered name.
      const registration: Registration = { listener: listener as unknown as PublicationListener }
      registrations.set(name, [...(registrations.get(name) ?? []), registration])
      return () => {
        const others = registrations.get(name)?.filter((each) => each !== registration)
        registrations.set(name, others ?? [])
      }
    },
  }
}

export type EventLog = ReturnType<typeof createEventLog>
