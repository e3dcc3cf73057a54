import type { EventSelection } from '@wabakit/core'
import type { Conditions } from './queries.ts'

/** Returns a selection's conditions that no index of `events e` covers. */
export const listEventFilters = ({
  names,
  digits,
  occurredFrom,
  occurredBefore,
  text,
}: EventSelection): Conditions => ({
  'e.name in (select value from json_each(?))': names && JSON.stringify(names),
  'e.digits = ?': digits,
  'e.occurredAt >= ?': occurredFrom,
  'e.occurredAt < ?': occurredBefore,
  // Avoids LIKE, whose duration grows with the product of the lengths of payload and search text.
  '(instr(lower(e.payload), lower(?)) > 0 or e.id = ?)': text === undefined ? undefined : [text, text],
})
