import { type EventName, eventNames, type WebhookEvent, type WebhookEventOf } from '@wabakit/contract'
import { parseName } from '../input.ts'
import { type Difference, differencesOf, type Partially } from '../matching/match.ts'
import { printValue } from '../matching/print.ts'

/** Which event of a name: a part of its payload, as deep as you like, or a function that tells. */
export type EventMatch<Name extends EventName> =
  | Partially<WebhookEventOf<Name>>
  | ((event: WebhookEventOf<Name>) => boolean)

/** Finds events of one name. */
export type EventFilter<Name extends EventName> = {
  readonly name: Name
  /** Whether it is an event of the name that matches. */
  accepts(event: WebhookEvent | undefined): event is WebhookEventOf<Name>
  /** How an event of the name differs from what is looked for; `undefined` where only a function could tell. */
  differences(event: WebhookEvent): readonly Difference[] | undefined
  /** For people: `CALL_ENDED {"callId":"call_1"}`. */
  readonly label: string
}

const isOf = <Name extends EventName>(
  event: WebhookEvent | undefined,
  name: Name,
): event is WebhookEventOf<Name> => event?.event === name

/**
 * Makes a filter.
 *
 * @param what - the operation, as users call it.
 * @throws MockUsageError when there is no event of this name.
 */
export const createEventFilter = <Name extends EventName>(
  what: string,
  name: Name,
  match?: EventMatch<Name>,
): EventFilter<Name> => {
  parseName(what, eventNames, name)
  if (typeof match === 'function') {
    return {
      name,
      label: `${name} for which ${printValue(match)}`,
      accepts: (event): event is WebhookEventOf<Name> => isOf(event, name) && match(event),
      differences: () => undefined,
    }
  }
  const part: unknown = match ?? {}
  return {
    name,
    label: match === undefined ? name : `${name} ${printValue(match)}`,
    accepts: (event): event is WebhookEventOf<Name> =>
      isOf(event, name) && differencesOf(part, event).length === 0,
    differences: (event) => differencesOf(part, event),
  }
}
