import { eventNames } from '@wabakit/wire'
import * as z from 'zod/mini'
import { UtcTimestamp } from '../text.ts'
import {
  apiQuestions,
  eventFields,
  eventForms,
  fieldKinds,
  responseFields,
  responseHeaders,
} from './vocabulary.ts'

const count = () => z.int().check(z.minimum(1))

/**
 * What was seen for one question, and how often. Several values contradict each other, and all are kept. `notSeenIn` counts the
 * cases in which it could have been seen and was not. That it never happens, only a person can state.
 */
const answer = <Value extends z.ZodMiniType>(value: Value) =>
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
export const ResponseForm = z.strictObject({
  status: z.int().check(z.minimum(200), z.maximum(599)),
  body: z.enum(['json', 'html', 'text', 'empty']),
  fields: z.partialRecord(z.enum(responseFields), z.enum(fieldKinds)),
  headers: z.array(z.enum(responseHeaders)),
  /** The form of `Retry-After`, if there is one. */
  retryAfter: z.optional(z.enum(['seconds', 'date'])),
})
export type ResponseForm = z.infer<typeof ResponseForm>

/** Times between two attempts, rounded to the nearest of these. */
export const gaps = ['0s', '5s', '30s', '1m', '5m', '15m', '30m', '1h', '2h', '5h', '10h', '24h'] as const
const Repeat = z.strictObject({
  /** The number of the attempt; the first repeat is 2. */
  attempt: z.int().check(z.minimum(2), z.maximum(50)),
  /** Time since the attempt before. */
  gap: z.enum(gaps),
})
export type Repeat = z.infer<typeof Repeat>

const seen = () => answer(z.literal('seen'))

/** The questions that `wabakit capture` answers about all deliveries. */
const Deliveries = z.strictObject({
  method: z.optional(answer(z.enum(['POST', 'PUT', 'PATCH', 'GET', 'HEAD', 'DELETE']))),
  /** Where the event's fields are. */
  format: z.optional(answer(z.enum(['json', 'urlencoded', 'multipart', 'query', 'none']))),
  /** `webhook-id`. */
  id: z.optional(seen()),
  /** `webhook-signature`. */
  signature: z.optional(seen()),
  /** The scheme of an `Authorization` header. */
  authorization: z.optional(answer(z.enum(['Bearer', 'Basic', 'other']))),
  /** The headers that a person registered. */
  registeredHeaders: z.optional(answer(z.enum(['as-registered', 'changed']))),
  /** The field with the name of a group event. */
  groupEventName: z.optional(answer(z.enum(['event', 'eventType', 'none']))),
  /** An event of a call that arrived before an earlier one of the same call. */
  order: z.optional(answer(z.strictObject({ first: z.enum(eventNames), second: z.enum(eventNames) }))),
  repeatAfterSuccess: z.optional(answer(Repeat)),
  repeatAfterFailure: z.optional(answer(Repeat)),
  repeatAfterTimeout: z.optional(answer(Repeat)),
})

/**
 * Schema of `wabakit.profile.json`: what `wabakit probe` and `wabakit capture` have seen of a live service. It contains paths,
 * types, counts, times and known names, and no other value.
 */
export const MeasuredProfile = z.strictObject({
  version: z.literal(1),
  /** Responses of the public API, by question. A key in a header is `accepted`, or refused with a response. */
  api: z.partialRecord(z.enum(apiQuestions), answer(z.union([z.literal('accepted'), ResponseForm]))),
  deliveries: Deliveries,
  /** The types of the fields of events, by the event's name and channel. */
  events: z.partialRecord(
    z.enum(eventForms),
    z.partialRecord(z.enum(eventFields), answer(z.enum(fieldKinds))),
  ),
})
export type MeasuredProfile = z.infer<typeof MeasuredProfile>

/** What was seen for one question. */
export type Answer<Value> = {
  values: (
    | { value: Value; source: 'probe' | 'capture'; count: number; firstSeenAt: string; lastSeenAt: string }
    | { value: Value | 'never'; source: 'stated' }
  )[]
  notSeenIn?: number | undefined
}

export const createEmptyProfile = (): MeasuredProfile => ({ version: 1, api: {}, deliveries: {}, events: {} })
