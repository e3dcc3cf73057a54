import type { EventSelection } from '@wabakit/core'
import { toLikePattern } from '../like-pattern.ts'
import type { Conditions } from './queries.ts'

/** Returns the conditions of a selection that no index of `events e` answers. */
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
  "(e.payload like ? escape '\\' or e.id = ?)": text === undefined ? undefined : [toLikePattern(text), text],
})
