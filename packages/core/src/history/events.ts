import type { Channel } from '@wabakit/contract'
import { InputError } from '../errors/operation-errors.ts'
import type { EventRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { EventQuery, Page } from '../store.ts'
import { getOrganization } from '../tenancy/organizations.ts'
import { findOwnNumber } from '../values/phone-number.ts'
import { checkTexts } from '../values/storable-text.ts'
import { checkSelection, type ListQuery, limitExamined, maxExamined } from './selection.ts'

/** An event to publish although no record has changed. */
export type PublishedEvent = {
  /** The name of the event. Only subscriptions to `all` events receive an event with an unknown name. */
  readonly name: string
  /**
   * The call or group that the event is about, such as `call:…`. It has at most 261 characters. Events of one subject
   * are delivered in order.
   */
  readonly subject: string
  readonly channel: Channel
  /** One of the organization's numbers on this channel. */
  readonly number: string
  /** The JSON body, which is sent unchanged. */
  readonly payload: string
}

/** The events of a server. */
export type Events = {
  /** Lists an organization's events, oldest first by default. */
  list(organizationId: string, query?: ListQuery<EventQuery>): Promise<Page<EventRecord>>
  /**
   * Publishes a simulated event. It is stored and delivered like any other event, but listeners of `on` do not receive
   * it. With a `subscriptionId`, only that subscription gets the event, if it matches. With `hasCustomPayload`, it goes
   * only to endpoints that `DeliveryOptions.allowsCustomPayload` allows.
   *
   * @throws InputError if the organization does not have the number, or a string is too long or cannot be stored.
   * @throws RecordNotFoundError if there is no such organization.
   */
  publish(
    organizationId: string,
    event: PublishedEvent,
    options?: {
      readonly subscriptionId?: string | undefined
      readonly hasCustomPayload?: boolean | undefined
    },
  ): Promise<EventRecord>
}

/**
 * The length of `group:` plus that of the longest identifier. There is a maximum because stores index
 * subjects.
 */
const subjectMaxLength = 261

export const createEvents = ({ store, clock, ids, log }: ServerContext): Events => ({
  list: async (organizationId, query = {}) => {
    checkSelection({ ...query, organizationId })
    // There is no index of events by subscription, so the number of examined records is limited.
    const limits = query.subscriptionId === undefined ? limitExamined(query) : { maxExamined }
    return store.listEvents({ limit: 100, ...limits, ...query, organizationId })
  },
  publish: async (organizationId, { name, subject, channel, number, payload }, options = {}) => {
    const { subscriptionId, hasCustomPayload = false } = options
    const organization = await getOrganization(store, organizationId)
    checkTexts({ name, subject, payload })
    if ([...subject].length > subjectMaxLength) {
      throw new InputError([{ path: 'subject', message: `must have at most ${subjectMaxLength} characters` }])
    }
    const own = findOwnNumber(organization, channel, number)
    if (own === undefined) {
      throw new InputError([{ path: 'number', message: `must be a ${channel} number of the organization` }])
    }
    const event: EventRecord = {
      id: ids('evt'),
      organizationId,
      name,
      subject,
      channel,
      digits: own.digits,
      payload,
      waitsFor: null,
      traceparent: null,
      hasCustomPayload,
      occurredAt: clock.now(),
    }
    if (subscriptionId === undefined) await store.addEvent(event)
    else await store.addEventTo(event, subscriptionId)
    log.count({ organizationId, subscriptionId: '', name: 'events' })
    return event
  },
})
