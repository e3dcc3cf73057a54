import * as z from 'zod/mini'
import { type DeliverySelection, type EventSelection, InputError } from '../index.ts'
import { toCallSubject, toGroupSubject } from '../simulation/index.ts'
import { identifier, optional, phoneNumber } from '../values/input-schemas.ts'
import { toDigits } from '../values/phone-number.ts'
import { time } from './schemas.ts'
import { DeliveryStatus } from './views/delivery.ts'

// The filters for listing records and for changing many deliveries. The command line and the inspector use
// these names.

const several = <Item extends z.core.$ZodType<unknown, string>>(item: Item, description: string) =>
  z.pipe(
    z.pipe(
      z.string().check(z.describe(description)),
      z.transform((text: string) => text.split(',')),
    ),
    z.array(item),
  )

/** The id of a group. The public API restricts it less than other identifiers. */
export const groupId = z.string().check(
  z.minLength(1),
  z.maxLength(255),
  z.refine((text) => !/[\0\p{Surrogate}]/u.test(text), {
    error: 'must not contain a NUL character or a lone surrogate',
  }),
)

export const text = (description: string) =>
  z.string().check(z.minLength(1), z.maxLength(255), z.describe(description))

/** A phone number, of which only the digits are compared. */
export const phoneDigits = z.pipe(phoneNumber, z.transform(toDigits))

const timeFilter = {
  from: optional(time, 'At or after this time (ISO 8601).'),
  before: optional(time, 'Before this time (ISO 8601).'),
}

export const recordFilter = {
  number: optional(phoneDigits, "One of the organization's numbers."),
  ...timeFilter,
}

export const subjectFilter = {
  group: optional(groupId, 'Id of the group.'),
  call: optional(identifier, 'Id of the call.'),
}

const eventFilter = {
  name: z.optional(several(z.string().check(z.minLength(1)), 'Names of events, separated by commas.')),
  ...subjectFilter,
  subscription: optional(identifier, 'Id of the subscription.'),
  ...recordFilter,
  text: z.optional(text('Part of the payload, ignoring the case of ASCII letters, or the id of an event.')),
}

export const order = z.optional(z.enum(['oldest_first', 'newest_first']))

export const EventFilter = z.strictObject({
  ...eventFilter,
  subject: optional(z.string(), 'The call or group that the event is about, such as call:….'),
})
export type EventFilter = z.output<typeof EventFilter>

const responses = (description: string) =>
  z.optional(
    several(
      z
        .string()
        .check(z.regex(/^(?:[1-5]xx|[1-5]\d\d|none)$/, 'must be a status, a class such as 5xx, or none')),
      description,
    ),
  )

export const DeliveryFilter = z.strictObject({
  ...eventFilter,
  status: z.optional(
    several(DeliveryStatus, `One or several of ${DeliveryStatus.options.join(', ')}, joined by commas.`),
  ),
  finishedFrom: optional(time, 'Only those that were delivered, exhausted or skipped at or after this time.'),
  finishedBefore: optional(time, 'Only those that were delivered, exhausted or skipped before this time.'),
  event: optional(identifier, 'Id of the event.'),
  response: responses(
    'Result of the last attempt: HTTP statuses such as 401, classes such as 5xx, or none, separated by commas.',
  ),
  anyResponse: responses('Result of any attempt, in the same form.'),
  attemptedFrom: optional(
    time,
    'Only those with an attempt at or after this time; with `anyResponse`, the same attempt.',
  ),
  attemptedBefore: optional(
    time,
    'Only those with an attempt before this time; with `anyResponse`, the same attempt.',
  ),
})
export type DeliveryFilter = z.output<typeof DeliveryFilter>

export const RequestFilter = z.strictObject({
  organization: optional(identifier, 'Id of the organization.'),
  unidentified: optional(
    z.enum(['include', 'only']),
    'Requests without a valid key, which belong to no organization: besides those of `organization`, or alone.',
  ),
  key: optional(identifier, 'Id of the API key.'),
  method: optional(z.string(), 'Method of the request.'),
  status: optional(z.coerce.number().check(z.gte(100), z.lte(599)), 'Status of the response.'),
  code: optional(z.string(), 'Error code of the response.'),
  ...subjectFilter,
  ...timeFilter,
  text: z.optional(
    text(
      'Part of the method, path, status, code, address, user agent, an id, or the label or fingerprint of the key, ignoring case.',
    ),
  ),
})

const findSubject = ({ subject, call, group }: EventFilter): string | undefined => {
  const [found, another] = [subject, call && toCallSubject(call), group && toGroupSubject(group)].filter(
    (each) => each !== undefined,
  )
  if (another === undefined) return found
  const path = call === undefined ? 'group' : 'call'
  throw new InputError([{ path, message: 'must be the only one of `call`, `group` and `subject`' }])
}

export const selectEvents = (filter: EventFilter): Omit<EventSelection, 'organizationId'> => ({
  names: filter.name,
  subject: findSubject(filter),
  subscriptionId: filter.subscription,
  digits: filter.number,
  occurredFrom: filter.from,
  occurredBefore: filter.before,
  text: filter.text,
})

/** Returns the response statuses that a filter such as `404`, `5xx` or `none` selects; 0 means no response. */
const parseResponse = (response: string): number[] => {
  if (response === 'none') return [0]
  if (!response.endsWith('xx')) return [Number(response)]
  return Array.from({ length: 100 }, (_, index) => Number(response[0]) * 100 + index)
}

export const selectDeliveries = (filter: DeliveryFilter): Omit<DeliverySelection, 'organizationId'> => ({
  ...selectEvents(filter),
  statuses: filter.status,
  finishedFrom: filter.finishedFrom,
  finishedBefore: filter.finishedBefore,
  eventId: filter.event,
  responses: filter.response?.flatMap(parseResponse),
  anyResponses: filter.anyResponse?.flatMap(parseResponse),
  attemptedFrom: filter.attemptedFrom,
  attemptedBefore: filter.attemptedBefore,
})
