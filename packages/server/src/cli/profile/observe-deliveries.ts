import { eventNames } from '@wabakit/contract'
import { eventExamples } from '@wabakit/contract/documents'
import {
  type Answer,
  addNotSeen,
  addSeen,
  describeFields,
  eventFields,
  type FieldKind,
  findEventForm,
  findScheme,
  gaps,
  type MeasuredProfile,
  maxAttempt,
} from '@wabakit/contract/profile'
import { toLivePayload } from '@wabakit/core/live'
import { identifyEvent, parseEvent } from '@wabakit/webhooks'
import { type EventName, writeJson } from '@wabakit/wire'
import type { RecordedRequest } from '../recording/recorded-request.ts'
import { readFields } from './read-fields.ts'

type Deliveries = MeasuredProfile['deliveries']

/** How an attempt ended: acknowledged, refused, or given up by the sender. */
export type Outcome = 'Success' | 'Failure' | 'Timeout'

type Attempt = { number: number; endedAt: number; outcome: Outcome }
type Arrivals = { readonly names: EventName[]; isOutOfOrder: boolean }

/** The place of each event in a call. */
const ranks: { readonly [Name in EventName]?: number } = {
  CALL_INCOMING_INITIATED: 0,
  CALL_OUTGOING_INITIATED: 0,
  CALL_NOT_PICKED: 1,
  CALL_ACCEPTED: 2,
  CALL_ENDED: 3,
  CALL_MISSED: 3,
  CALL_REJECTED: 3,
  CALL_AI_SUMMARY: 4,
}

/** Strangers can reach the port, so what is remembered of their requests is limited. */
const maxRemembered = 10_000

const gapSeconds: Readonly<Record<(typeof gaps)[number], number>> = {
  ...{ '0s': 0, '5s': 5, '30s': 30, '1m': 60, '5m': 300, '15m': 900 },
  ...{ '30m': 1_800, '1h': 3_600, '2h': 7_200, '5h': 18_000, '10h': 36_000, '24h': 86_400 },
}

/** Returns the nearest of the gaps, by ratio. */
const roundGap = (ms: number): (typeof gaps)[number] => {
  const measure = (seconds: number): number => Math.log(Math.max(1, seconds))
  const distance = (gap: (typeof gaps)[number]): number =>
    Math.abs(measure(gapSeconds[gap]) - measure(ms / 1_000))
  return gaps.reduce((nearest, gap) => (distance(gap) < distance(nearest) ? gap : nearest))
}

/** Lists the fields of an event that the profile `live` sends. */
const listLiveFields = (name: EventName): ReadonlySet<string> =>
  new Set(
    Object.keys(
      describeFields(JSON.parse(toLivePayload(JSON.stringify(eventExamples[name]), {})), eventFields),
    ),
  )

const liveFields = new Map(eventNames.map((name) => [name, listLiveFields(name)]))

const countSeen = ({ values, notSeenIn = 0 }: Answer<FieldKind>): number =>
  values.reduce((sum, each) => sum + (each.source === 'stated' ? 0 : each.count), notSeenIn)

const methods = ['POST', 'PUT', 'PATCH', 'GET', 'HEAD', 'DELETE'] as const

const setFirst = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > maxRemembered && oldest !== undefined) map.delete(oldest)
}

type ObserverOptions = {
  readonly profile: MeasuredProfile
  /** Headers that the person registered. */
  readonly registered: readonly (readonly [name: string, value: string])[]
  readonly now: () => number
}

/**
 * Creates an observer that adds what deliveries show to a profile: their form, the types of fields, repeats and order. Of values, it
 * adds only the names of events and the scheme of `authorization`. Requests that are not a known event show nothing.
 */
export const observeDeliveries = ({ profile, registered, now }: ObserverOptions) => {
  const deliveries = { ...profile.deliveries }
  const events = { ...profile.events }
  const attempts = new Map<string, Attempt>()
  const calls = new Map<string, Arrivals>()

  const note = <Name extends keyof Deliveries>(
    name: Name,
    add: (answer: Deliveries[Name]) => Deliveries[Name],
  ): void => {
    deliveries[name] = add(deliveries[name])
  }
  const seen = <Value>(value: Value) => ({ value, source: 'capture' as const, at: new Date(now()) })

  const noteHeaders = ({ headers }: RecordedRequest): void => {
    const read = (name: string): string | undefined =>
      headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1]
    const has = (name: string) => (answer: Deliveries['id']) =>
      read(name) === undefined ? addNotSeen(answer) : addSeen(answer, seen('seen' as const))
    note('id', has('webhook-id'))
    note('signature', has('webhook-signature'))
    const authorization = read('authorization')
    note('authorization', (answer) =>
      authorization === undefined ? addNotSeen(answer) : addSeen(answer, seen(findScheme(authorization))),
    )
    if (registered.length === 0) return
    const sent = registered.filter(([name]) => read(name) !== undefined)
    const isSame = registered.every(([name, value]) => read(name) === value)
    note('registeredHeaders', (answer) =>
      sent.length === 0
        ? addNotSeen(answer)
        : addSeen(answer, seen(isSame ? ('as-registered' as const) : 'changed')),
    )
  }

  const noteFields = (name: EventName, body: Readonly<Record<string, unknown>>): void => {
    const form = findEventForm(name, body)
    const known = { ...events[form] }
    const before = Math.max(0, ...Object.values(known).map((answer) => (answer ? countSeen(answer) : 0)))
    const kinds = describeFields(body, eventFields)
    for (const field of eventFields) {
      const kind = kinds[field]
      const answer = known[field]
      if (kind !== undefined) {
        const start = answer ?? (before > 0 ? { values: [], notSeenIn: before } : undefined)
        known[field] = addSeen(start, seen(kind))
      } else if (answer !== undefined || liveFields.get(name)?.has(field)) {
        known[field] = addNotSeen(answer)
      }
    }
    events[form] = known
  }

  const noteOrder = (name: EventName, call: string): void => {
    const rank = ranks[name]
    if (rank === undefined) return
    const arrivals = calls.get(call) ?? { names: [], isOutOfOrder: false }
    setFirst(calls, call, arrivals)
    if (arrivals.names.includes(name)) return
    const first = arrivals.names.findLast((each) => (ranks[each] ?? 0) > rank)
    arrivals.names.push(name)
    if (first === undefined) return
    arrivals.isOutOfOrder = true
    note('order', (answer) => addSeen(answer, seen({ first, second: name })))
  }

  const noteRepeat = (last: Attempt): void => {
    if (last.number >= maxAttempt) return
    const gap = roundGap(now() - last.endedAt)
    note(`repeatAfter${last.outcome}`, (answer) => addSeen(answer, seen({ attempt: last.number + 1, gap })))
  }

  return {
    /** Notes a request. Returns a function for the end of its attempt, or `undefined` if it is not a known event. */
    add: async (request: RecordedRequest): Promise<((outcome: Outcome) => void) | undefined> => {
      const { format, fields } = readFields(request)
      if (fields === undefined) return undefined
      const parsed = parseEvent(fields)
      if (parsed.kind === 'unknown') return undefined
      const name = eventNames.find(
        (each) => each === (parsed.kind === 'event' ? parsed.event.event : parsed.name),
      )
      if (name === undefined) return undefined
      noteHeaders(request)
      const method = methods.find((each) => each === request.method)
      if (method !== undefined) note('method', (answer) => addSeen(answer, seen(method)))
      note('format', (answer) => addSeen(answer, seen(format)))
      if (name.startsWith('GROUP_')) {
        const field = 'event' in fields ? 'event' : 'eventType' in fields ? 'eventType' : 'none'
        note('groupEventName', (answer) => addSeen(answer, seen(field)))
      }
      // The fields of a form are texts, whatever their types.
      if (format === 'json') noteFields(name, fields)
      const { key, identity, subject } = await identifyEvent(
        writeJson(fields),
        Object.fromEntries(request.headers),
      )
      if (subject?.startsWith('call:')) noteOrder(name, subject)
      if (identity === 'none') return () => {}
      const last = attempts.get(key)
      if (last !== undefined) noteRepeat(last)
      // If a repeat arrives before this attempt has ended, no failure has caused it.
      const attempt: Attempt = { number: (last?.number ?? 0) + 1, endedAt: now(), outcome: 'Success' }
      setFirst(attempts, key, attempt)
      return (outcome) => Object.assign(attempt, { outcome, endedAt: now() })
    },
    /** Returns the profile as it is now. */
    getProfile: (): MeasuredProfile => ({ ...profile, deliveries, events }),
    /** Notes what had not happened by the end, for each call with its events in order and each attempt without a repeat. */
    end: (): MeasuredProfile => {
      for (const { names, isOutOfOrder } of calls.values())
        if (names.length > 1 && !isOutOfOrder) note('order', addNotSeen)
      for (const { outcome } of attempts.values()) note(`repeatAfter${outcome}`, addNotSeen)
      calls.clear()
      attempts.clear()
      return { ...profile, deliveries, events }
    },
  }
}
