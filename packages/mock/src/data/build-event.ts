import {
  type EventName,
  eventSchemas,
  isPublishedEventName,
  publishedEventSchemas,
  toIssues,
} from '@wabakit/contract'
import { MockUsageError } from '../errors.ts'
import { createTemplate, type Fields, type TemplateSources } from './event-templates.ts'

/** Fields that always have the same value as another field. */
const twins = { from: 'channelNumber', channelNumber: 'from', to: 'customerNumber', customerNumber: 'to' }

/** Changes the fields that depend on overridden ones. */
const deriveFields = (template: Fields, overrides: Fields, wabaNumber: string): Fields => {
  const { channel, callDirection, callType, durationInSeconds, callEndedAt, callStartedAt } = overrides
  const same = Object.entries(twins).flatMap(([field, twin]) =>
    field in overrides && twin in template ? [[twin, overrides[field]]] : [],
  )
  const start = Date.parse(String(callStartedAt ?? template.callStartedAt))
  const isTimed = 'callEndedAt' in template && callEndedAt === undefined && !Number.isNaN(start)
  const seconds = Number(durationInSeconds ?? template.durationInSeconds)
  return {
    ...(channel === 'WHATSAPP' && 'from' in template && { from: wabaNumber, channelNumber: wabaNumber }),
    ...(callDirection === 'OUTGOING' && 'triggeredVia' in template && { triggeredVia: 'UI' }),
    ...(callType === 'AI_BOT' && { agentNumber: undefined }),
    ...(isTimed && { callEndedAt: new Date(start + seconds * 1_000).toISOString() }),
    ...Object.fromEntries(same),
  }
}

/** Returns the contradiction between a call's direction and its trigger, if there is one. */
const findContradiction = ({ callDirection, triggeredVia }: Fields): string | undefined => {
  if (callDirection === undefined || triggeredVia === undefined) return undefined
  if ((callDirection === 'INCOMING') === (triggeredVia === 'INBOUND')) return undefined
  return `an ${callDirection} call is not triggered via ${triggeredVia}`
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/**
 * Builds an event from its template and overrides, and changes the fields that depend on overridden ones.
 *
 * @param caller - the function that the user called, for the message.
 * @throws MockUsageError if the event would violate the contract.
 */
export const buildEvent = (
  caller: string,
  { sources, name, overrides }: { sources: TemplateSources; name: EventName; overrides: Fields },
): object => {
  const template = createTemplate(name, sources)
  const derived = deriveFields(template, overrides, sources.account.wabaNumber)
  const merged: Fields = { event: name, ...template, ...derived, ...overrides }
  const summary =
    isFields(template.summary) && isFields(overrides.summary)
      ? { summary: { ...template.summary, ...overrides.summary } }
      : {}
  const event = Object.fromEntries(
    Object.entries({ ...merged, ...summary }).filter(([, value]) => value !== undefined),
  )
  const schema = isPublishedEventName(name) ? publishedEventSchemas[name] : eventSchemas[name]
  const parsed = schema.safeParse(event)
  const problem = parsed.success
    ? findContradiction(event)
    : toIssues(parsed.error)
        .map(({ message }) => message)
        .join('; ')
  if (parsed.success && problem === undefined) return parsed.data
  throw new MockUsageError(
    `${caller}: this ${name} violates the contract: ${problem}. For a payload that violates it on purpose, change a valid one: ` +
      `{ ...fixtures.event('${name}'), … }`,
  )
}
