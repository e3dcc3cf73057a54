import type { EventName } from '@wabakit/contract'
import { printValue } from './matching/print.ts'
import type { MockTenant } from './tenant/tenant.ts'
import { createEventFilter, type EventMatch } from './waiting/event-filter.ts'

/** @inline */
type MatcherResult = { readonly pass: boolean; message(): string }

/** The assertions, for the type declarations of your test runner; see `docs/testing.md`. */
export type EventMatchers<Result = void> = {
  /** Asserts that a matching event has already been delivered and acknowledged (with 200 to 299). */
  toHaveReceivedEvent<Name extends EventName>(name: Name, match?: EventMatch<Name>): Result
}

/** Matchers for `expect.extend`, in vitest and in jest. */
export const matchers = {
  toHaveReceivedEvent: <Name extends EventName>(
    mock: Pick<MockTenant, 'deliveries'>,
    name: Name,
    match?: EventMatch<Name>,
  ): MatcherResult => {
    const filter = createEventFilter('toHaveReceivedEvent', name, match)
    const found = mock.deliveries.find(({ acknowledged, event }) => acknowledged && filter.accepts(event))
    const attempts = mock.deliveries.map(({ name: each, status, error }) => `${each} (${status ?? error})`)
    return {
      pass: found !== undefined,
      message: () =>
        found === undefined
          ? `Expected ${filter.label} to have been delivered and acknowledged. Delivered: ${attempts.join(', ') || 'nothing'}.`
          : `Expected ${filter.label} not to have been delivered and acknowledged, but received: ${printValue(found.event)}`,
    }
  },
} as const
