import type { DeliverySelection, FilteredPageRequest } from '../store.ts'
import { checkNumbers } from '../values/check-numbers.ts'
import { checkIdentifiers, checkTexts } from '../values/storable-text.ts'

/** Selects an organization's records to list. */
export type ListQuery<Query> = Partial<Omit<Query, 'organizationId'>>

/** Maximum number of records to examine for one page of a filtered list. */
export const maxExamined = 20_000

/** The conditions of a selection of deliveries: `true` if an index finds the matching records. */
export const isIndexed: Readonly<Record<string, boolean>> = {
  deliveryId: true,
  eventId: true,
  subscriptionId: true,
  names: false,
  subject: true,
  digits: false,
  occurredFrom: false,
  occurredBefore: false,
  text: false,
  statuses: false,
  finishedFrom: false,
  finishedBefore: false,
  responses: false,
  anyResponses: false,
  attemptedFrom: false,
  attemptedBefore: false,
} satisfies Record<Exclude<keyof DeliverySelection, 'organizationId'>, boolean>

/** Limits how many records a page may examine, unless an index finds all matching records. */
export const limitExamined = (
  selection: Omit<DeliverySelection, 'organizationId'>,
): Pick<FilteredPageRequest, 'maxExamined'> => {
  const conditions = Object.entries(selection).filter(([, value]) => value !== undefined)
  return conditions.some(([name]) => isIndexed[name] === false) ? { maxExamined } : {}
}

/** Throws an InputError if a string or a number of a selection is not valid. */
export const checkSelection = (selection: DeliverySelection): void => {
  const { organizationId, deliveryId, eventId, subscriptionId, names = [], subject, text } = selection
  checkIdentifiers({ organizationId, deliveryId, eventId, subscriptionId })
  checkTexts({ subject, text })
  for (const name of names) checkTexts({ name })
  checkNumbers(selection)
}
