import {
  type CallSummary,
  type EmittedEventName,
  type EmittedEventOf,
  type EventName,
  eventNames,
  type WebhookEventOf,
} from '@wabakit/contract'
import { createIds } from '@wabakit/core'
import { parseName } from '../input.ts'
import { createAccount } from './account.ts'
import { buildEvent } from './build-event.ts'
import { createCallData } from './call-data.ts'
import type { TemplateSources } from './event-templates.ts'
import { createSeededRandom } from './seeded-random.ts'
import { startTime } from './start-time.ts'

/** What a fixture of one name is: what the reference server sends, or, for the further events, what was observed. */
export type Fixture<Name extends EventName> = Name extends EmittedEventName
  ? EmittedEventOf<Name>
  : WebhookEventOf<Name>

/** Fields to set in a fixture; `undefined` leaves one out. Of a summary, only the parts that shall differ. */
export type FixtureOverrides<Name extends EventName> = {
  readonly [Field in Exclude<keyof Fixture<Name>, 'event'>]?: Field extends 'summary'
    ? Partial<CallSummary>
    : Fixture<Name>[Field] | undefined
}

/** Payloads without a mock. */
export type Fixtures = {
  /**
   * A realistic event of this name, valid by the contract. The same input always gives the same event, in every
   * release; what belongs together stays together (`from` and `channelNumber`, times and duration).
   *
   * @throws MockUsageError when the name is unknown, or the overrides would break the contract.
   * @example
   * fixtures.event('CALL_AI_SUMMARY', { channel: 'WHATSAPP', summary: { recap: 'Asked for a refund.' } })
   */
  event<Name extends EventName>(name: Name, overrides?: FixtureOverrides<Name>): Fixture<Name>
}

const createSources = (): TemplateSources => {
  const account = createAccount(0, 0)
  const random = createSeededRandom('fixtures', 'ids')
  const data = createCallData(0, account, 0)
  return { account, data, ids: createIds({ clock: { now: () => startTime }, random }), start: startTime }
}

/** Payloads without a mock. */
export const fixtures: Fixtures = {
  event: <Name extends EventName>(name: Name, overrides: FixtureOverrides<Name> = {}) => {
    const known = parseName('fixtures.event', eventNames, name)
    const event = buildEvent('fixtures.event', { sources: createSources(), name: known, overrides })
    // Its schema, which is that of the name, has parsed it.
    return event as Fixture<Name>
  },
}
