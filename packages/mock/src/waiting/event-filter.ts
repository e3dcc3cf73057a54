import {
  type EventName,
  eventNames,
  eventSchemas,
  type WebhookEvent,
  type WebhookEventOf,
} from '@wabakit/contract'
import { parseName } from '../input.ts'
import { type Difference, findDifferences, hasFields, type Partially } from '../matching/find-differences.ts'
import { printValue } from '../matching/print.ts'

/**
 * Selects events with the given name that have these fields, at any depth, or for which a function returns true.
 */
export type EventMatch<Name extends EventName> =
  | Partially<WebhookEventOf<Name>>
  | ((event: WebhookEventOf<Name>) => boolean)

const hasName = <Name extends EventName>(
  event: WebhookEvent | undefined,
  name: Name,
): event is WebhookEventOf<Name> => event?.event === name

/**
 * Rejects a field that the contract does not have, such as a misspelled one, with which `expectNoEvent` would pass by mistake.
 *
 * @throws MockUsageError that names the field.
 */
const checkFields = (
  path: string,
  { match, shape }: { readonly match: unknown; readonly shape: Readonly<Record<string, object>> },
): void => {
  if (!hasFields(match)) return
  for (const [field, value] of Object.entries(match)) {
    const name = parseName(path, Object.keys(shape), field)
    const schema: { shape?: Readonly<Record<string, object>> } = shape[name] ?? {}
    if (schema.shape) checkFields(`${path}.${name}`, { match: value, shape: schema.shape })
  }
}

/**
 * @param caller - the function that the user called, for the message.
 * @throws MockUsageError if no event has this name, or it has no such field.
 */
export const createEventFilter = <Name extends EventName>(
  caller: string,
  name: Name,
  match?: EventMatch<Name>,
) => {
  parseName(caller, eventNames, name)
  checkFields(`${caller}: match`, { match, shape: eventSchemas[name].shape })
  const compare = (event: WebhookEvent): readonly Difference[] | undefined =>
    typeof match === 'function' ? undefined : findDifferences(match ?? {}, event)
  const conditions = typeof match === 'function' ? ` for which ${printValue(match)}` : ` ${printValue(match)}`
  return {
    name,
    /** Describes the filter in messages: `CALL_ENDED {"callId":"call_1"}`. */
    label: match === undefined ? name : name + conditions,
    accepts: (event: WebhookEvent | undefined): event is WebhookEventOf<Name> =>
      hasName(event, name) && (typeof match === 'function' ? match(event) : compare(event)?.length === 0),
    /** Returns the differences between the match and an event; `undefined` if the match is a function. */
    findDifferences: compare,
  }
}

export type EventFilter = ReturnType<typeof createEventFilter>
