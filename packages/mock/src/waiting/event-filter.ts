import { type EventName, eventNames, type WebhookEvent, type WebhookEventOf } from '@wabakit/contract'
import { parseName } from '../input.ts'
import { type Difference, findDifferences, type Partially } from '../matching/find-differences.ts'
import { printValue } from '../matching/print.ts'

/**
 * Selects events with the given name that have these fields, at any depth, or for which a function returns true.
 */
export type EventMatch<Name extends EventName> =
  | Partially<WebhookEventOf<Name>>
  | ((event: WebhookEventOf<Name>) => boolean)

export type EventFilter<Name extends EventName> = {
  readonly name: Name
  accepts(event: WebhookEvent | undefined): event is WebhookEventOf<Name>
  /** Returns the differences between the match and an event; `undefined` if the match is a function. */
  findDifferences(event: WebhookEvent): readonly Difference[] | undefined
  /** Describes the filter in messages: `CALL_ENDED {"callId":"call_1"}`. */
  readonly label: string
}

const hasName = <Name extends EventName>(
  event: WebhookEvent | undefined,
  name: Name,
): event is WebhookEventOf<Name> => event?.event === name

/**
 * @param caller - the function that the user called, for the message.
 * @throws MockUsageError if no event has this name.
 */
export const createEventFilter = <Name extends EventName>(
  caller: string,
  name: Name,
  match?: EventMatch<Name>,
): EventFilter<Name> => {
  parseName(caller, eventNames, name)
  const compare = (event: WebhookEvent) =>
    typeof match === 'function' ? undefined : findDifferences(match ?? {}, event)
  const conditions = typeof match === 'function' ? ` for which ${printValue(match)}` : ` ${printValue(match)}`
  return {
    name,
    label: match === undefined ? name : name + conditions,
    accepts: (event): event is WebhookEventOf<Name> =>
      hasName(event, name) && (typeof match === 'function' ? match(event) : compare(event)?.length === 0),
    findDifferences: compare,
  }
}
