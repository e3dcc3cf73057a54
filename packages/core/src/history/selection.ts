import type { DeliverySelection, FilteredPageRequest } from '../store.ts'
import { checkIdentifiers } from '../values/identifier.ts'
import { checkTexts } from '../values/storable-text.ts'

/** Selects an organization's records to list. */
export type ListQuery<Query> = Partial<Omit<Query, 'organizationId'>>

/** Maximum number of records to examine for one page of a filtered list. */
export const maxExamined = 20_000

/** Limits how many records a page may examine. There is no limit if an index finds all matching records. */
export const limitExamined = ({
  names,
  digits,
  occurredFrom,
  occurredBefore,
  text,
  statuses,
  finishedFrom,
  finishedBefore,
  responses,
}: Omit<DeliverySelection, 'organizationId'>): Pick<FilteredPageRequest, 'maxExamined'> => {
  const finished = finishedFrom ?? finishedBefore
  const filters = [names, digits, occurredFrom, occurredBefore, text, statuses, finished, responses]
  return filters.some((filter) => filter !== undefined) ? { maxExamined } : {}
}

/**
 * Checks the strings in a selection.
 *
 * @throws InputError if a string cannot be stored.
 */
export const checkSelection = (selection: DeliverySelection): void => {
  const { organizationId, deliveryId, eventId, subscriptionId, names = [], subject, text } = selection
  checkIdentifiers({ organizationId, deliveryId, eventId, subscriptionId })
  checkTexts({ subject, text })
  for (const name of names) checkTexts({ name })
}
