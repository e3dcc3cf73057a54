import { type EventName, eventNames } from '@wabakit/wire'
import * as z from 'zod/mini'
import { UtcTimestamp } from '../text.ts'
import {
  type ApiQuestion,
  apiQuestions,
  type EventForm,
  eventFields,
  eventForms,
  type FieldKind,
  fieldKinds,
  type ResponseHeader,
  responseFields,
  responseHeaders,
} from './known-names.ts'

const count = () => z.int().check(z.minimum(1))

/**
 * The observations for one question. If they contradict each other, each value is kept with its own count. `notSeenIn` counts the
 * opportunities at which nothing was observed. Observations cannot prove that something never happens, so `never` must be stated
 * by a person.
 */
export type Answer<Value> = {
  values: (
    | { value: Value; source: 'probe' | 'capture'; count: number; firstSeenAt: string; lastSeenAt: string }
    | { value: Value | 'never'; source: 'stated' }
  )[]
  notSeenIn?: number | undefined
}

const answer = <Value>(value: z.ZodMiniType<Value>): z.ZodMiniType<Answer<Value>> =>
  z.strictObject({
    values: z.array(
      z.union([
        z.strictObject({
          value,
          source: z.enum(['probe', 'capture']),
          count: count(),
          firstSeenAt: UtcTimestamp,
          lastSeenAt: UtcTimestamp,
        }),
        z.strictObject({ value: z.union([value, z.literal('never')]), source: z.literal('stated') }),
      ]),
    ),
    notSeenIn: z.optional(count()),
  })

/** The form of a response: its status, and the names and types of what is known in it. */
export type ResponseForm = {
  status: number
  body: 'json' | 'html' | 'text' | 'empty'
  fields: Partial<Record<string, FieldKind>>
  headers: ResponseHeader[]
  /** The form of `Retry-After`, if there is one. */
  retryAfter?: 'seconds' | 'date' | undefined
}

/** Schema of {@link ResponseForm}. */
export const ResponseForm: z.ZodMiniType<ResponseForm> = z.strictObject({
  status: z.int().check(z.minimum(200), z.maximum(599)),
  body: z.enum(['json', 'html', 'text', 'empty']),
  fields: z.partialRecord(z.enum(responseFields), z.enum(fieldKinds)),
  headers: z.array(z.enum(responseHeaders)),
  retryAfter: z.optional(z.enum(['seconds', 'date'])),
})

/** Times between two attempts, rounded to the nearest of these. */
export const gaps = ['0s', '5s', '30s', '1m', '5m', '15m', '30m', '1h', '2h', '5h', '10h', '24h'] as const

/** Attempts with a higher number are not measured. */
export const maxAttempt = 50

/** A repeated delivery. */
export type Repeat = {
  /** The number of the attempt; the first repeat is 2. */
  attempt: number
  /** Time since the end of the attempt before. */
  gap: (typeof gaps)[number]
}

const repeat = () =>
  z.optional(
    answer(
      z.strictObject({ attempt: z.int().check(z.minimum(2), z.maximum(maxAttempt)), gap: z.enum(gaps) }),
    ),
  )
const seen = () => z.optional(answer(z.literal('seen')))

type Maybe<Value> = Answer<Value> | undefined

/** The questions that `wabakit capture` answers about all deliveries. */
export type MeasuredDeliveries = {
  method?: Maybe<'POST' | 'PUT' | 'PATCH' | 'GET' | 'HEAD' | 'DELETE'>
  /** Where the event's fields are. */
  format?: Maybe<'json' | 'urlencoded' | 'multipart' | 'query' | 'none'>
  /** `webhook-id`. */
  id?: Maybe<'seen'>
  /** `webhook-signature`. */
  signature?: Maybe<'seen'>
  /** The scheme of an `Authorization` header. */
  authorization?: Maybe<'Bearer' | 'Basic' | 'other'>
  /** The headers that a person registered. */
  registeredHeaders?: Maybe<'as-registered' | 'changed'>
  /** The field with the name of a group event. */
  groupEventName?: Maybe<'event' | 'eventType' | 'none'>
  /** Two events of one call that arrived in the wrong order: `first` arrived first, but belongs after `second`. */
  order?: Maybe<{ first: EventName; second: EventName }>
  repeatAfterSuccess?: Maybe<Repeat>
  repeatAfterFailure?: Maybe<Repeat>
  repeatAfterTimeout?: Maybe<Repeat>
}

const deliveries: z.ZodMiniType<MeasuredDeliveries> = z.strictObject({
  method: z.optional(answer(z.enum(['POST', 'PUT', 'PATCH', 'GET', 'HEAD', 'DELETE']))),
  format: z.optional(answer(z.enum(['json', 'urlencoded', 'multipart', 'query', 'none']))),
  id: seen(),
  signature: seen(),
  authorization: z.optional(answer(z.enum(['Bearer', 'Basic', 'other']))),
  registeredHeaders: z.optional(answer(z.enum(['as-registered', 'changed']))),
  groupEventName: z.optional(answer(z.enum(['event', 'eventType', 'none']))),
  order: z.optional(answer(z.strictObject({ first: z.enum(eventNames), second: z.enum(eventNames) }))),
  repeatAfterSuccess: repeat(),
  repeatAfterFailure: repeat(),
  repeatAfterTimeout: repeat(),
})

/** The content of `wabakit.profile.json`. */
export type MeasuredProfile = {
  version: 1
  /** Responses of the public API, by question. A key in a header is `accepted`, or refused with a response. */
  api: Partial<Record<ApiQuestion, Answer<ResponseForm | 'accepted'>>>
  deliveries: MeasuredDeliveries
  /** The types of the fields of events, by the event's name and channel. */
  events: Partial<Record<EventForm, Partial<Record<string, Answer<FieldKind>>>>>
}

const api: z.ZodMiniType<MeasuredProfile['api']> = z.partialRecord(
  z.enum(apiQuestions),
  answer(z.union([z.literal('accepted'), ResponseForm])),
)
const events: z.ZodMiniType<MeasuredProfile['events']> = z.partialRecord(
  z.enum(eventForms),
  z.partialRecord(z.enum(eventFields), answer(z.enum(fieldKinds))),
)

/**
 * Schema of `wabakit.profile.json`: what `wabakit probe` and `wabakit capture` have seen of a live service. It contains paths,
 * types, statuses, counts, times and known names, and no other value.
 */
export const MeasuredProfile = z.strictObject({ version: z.literal(1), api, deliveries, events })

export const createEmptyProfile = (): MeasuredProfile => ({ version: 1, api: {}, deliveries: {}, events: {} })
