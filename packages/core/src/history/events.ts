import type { Channel } from '@wabakit/contract'
import { findOwnNumber } from '../calls/call-input.ts'
import { InputError } from '../errors/input-error.ts'
import { createEventId } from '../events/event-log.ts'
import type { EventRecord } from '../records.ts'
import type { EventQuery, Page, Store } from '../store.ts'
import type { Directory } from '../tenancy/directory.ts'
import type { Clock } from '../values/clock.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import type { Ids } from '../values/ids.ts'
import { checkTexts } from '../values/storable-text.ts'

/** An event made up by a simulator. */
export type PublishedEvent = {
  /** Name by which subscriptions choose it; of an unknown one only those to `all` hear. */
  readonly name: string
  /**
   * The call or group that it is about, such as `call:…`, in at most 261 characters. Events of one subject are
   * delivered in order.
   */
  readonly subject: string
  readonly channel: Channel
  /** One of the organization's numbers on this channel. */
  readonly number: string
  /** The JSON body exactly as it shall be sent. */
  readonly payload: string
}

/** Which events to list. */
export type EventListQuery = Partial<Omit<EventQuery, 'organizationId'>>

/** The events that happened. */
export type Events = {
  /** Events of an organization, oldest first unless `order` says otherwise. */
  list(organizationId: string, query?: EventListQuery): Promise<Page<EventRecord>>
  /**
   * Sends an event that no rule of this server made, for simulators: it is stored and delivered as any other, while
   * the listeners of `on` do not hear of it.
   *
   * @throws InputError when the number is not the organization's, or a text is too long or cannot be stored.
   * @throws RecordNotFoundError when there is no such organization.
   */
  publish(organizationId: string, event: PublishedEvent): Promise<EventRecord>
}

/** What {@link createEvents} works with. */
export type EventsContext = {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly directory: Directory
}

/** `group:` and the longest identifier. Stores index it. */
const subjectMaxLength = 261

/** Makes the operations on events. */
export const createEvents = ({ store, clock, ids, directory }: EventsContext): Events => ({
  list: async (organizationId, query = {}) => {
    const { eventId, name, subject } = query
    checkIdentifiers({ organizationId, eventId })
    checkTexts({ name, subject })
    return store.listEvents({ limit: 100, ...query, organizationId })
  },
  publish: async (organizationId, { name, subject, channel, number, payload }) => {
    const organization = await directory.getOrganization(organizationId)
    checkTexts({ name, subject, payload })
    if ([...subject].length > subjectMaxLength) {
      throw new InputError([{ path: 'subject', message: `must have at most ${subjectMaxLength} characters` }])
    }
    const own = findOwnNumber(organization, channel, number)
    if (own === undefined) {
      throw new InputError([{ path: 'number', message: `must be a ${channel} number of the organization` }])
    }
    const event: EventRecord = {
      id: createEventId(ids),
      organizationId,
      name,
      subject,
      channel,
      digits: own.digits,
      payload,
      waitsFor: null,
      occurredAt: clock.now(),
    }
    await store.addEvent(event)
    return event
  },
})
