import {
  type CallSummary,
  type EventName,
  eventNames,
  type PublishedEventName,
  type PublishedEventOf,
  type WebhookEventOf,
} from '@wabakit/contract'
import { createIds } from '@wabakit/core'
import { createCallData, createSeededRandom } from '@wabakit/core/simulation'
import { parseName } from '../input.ts'
import { createAccount } from './account.ts'
import { buildEvent } from './build-event.ts'
import type { TemplateSources } from './event-templates.ts'

/** The default start of virtual clocks, and the time of the first event in fixtures: 2026-01-01T10:00:00.000Z. */
export const startTime: number = Date.UTC(2026, 0, 1, 10)

/** A payload as the reference server sends it or, for observed events, as live services send it. */
export type Fixture<Name extends EventName> = Name extends PublishedEventName
  ? PublishedEventOf<Name>
  : WebhookEventOf<Name>

/** Fields to change in a fixture; `undefined` removes a field. A summary is merged with the fixture's. @inline */
export type FixtureOverrides<Name extends EventName> = {
  readonly [Field in Exclude<keyof Fixture<Name>, 'event'>]?: Field extends 'summary'
    ? Partial<CallSummary>
    : Fixture<Name>[Field] | undefined
}

/** Builds payloads without a mock. */
export type Fixtures = {
  /**
   * Returns a realistic event that matches the contract. The same input results in the same event in every
   * release. Fields that depend on changed ones change too: `channelNumber` with `from`, or the end of a call with its
   * start and duration.
   *
   * @throws MockUsageError if the name is unknown, or the event would violate the contract.
   * @example
   * fixtures.event('CALL_AI_SUMMARY', { channel: 'WHATSAPP', summary: { recap: 'Asked for a refund.' } })
   */
  event<Name extends EventName>(name: Name, overrides?: FixtureOverrides<Name>): Fixture<Name>
}

const createSources = (): TemplateSources => {
  const account = createAccount(0, 0)
  const random = createSeededRandom('fixtures', 'ids')
  const callRandom = createSeededRandom(0, account.organizationId, 'call', 0)
  const data = createCallData(callRandom, [account.wabaNumber, account.pstnNumber])
  return { account, data, ids: createIds({ clock: { now: () => startTime }, random }), start: startTime }
}

/** Builds payloads without a mock. */
export const fixtures: Fixtures = {
  event: <Name extends EventName>(name: Name, overrides: FixtureOverrides<Name> = {}) => {
    const known = parseName('fixtures.event', eventNames, name)
    const event = buildEvent('fixtures.event', { sources: createSources(), name: known, overrides })
    // buildEvent parsed it with the schema for this name.
    return event as Fixture<Name>
  },
}
