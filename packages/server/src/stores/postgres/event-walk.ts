import type { EventQuery, EventSelection } from '@wabakit/core'
import { toLikePattern } from '../like-pattern.ts'
import { type Conditions, createConditions } from './conditions.ts'
import type { Query } from './query.ts'

/** A range of event positions, inclusive. */
export type Positions = { readonly low: bigint; readonly high: bigint }

export const allPositions: Positions = { low: 0n, high: 2n ** 63n - 1n }

/** The positions that a page may examine. */
type Examined = Positions & {
  /** The last of these positions, if there are events after it. */
  readonly end: bigint | undefined
}

/**
 * Returns parts of queries that read the events `e` of an organization, or of one of its subjects, in order of position.
 * Conditions compare rows, so that the planner can use only an index that starts with the organization. With a condition
 * on the organization alone, it could choose the primary key and read the events of all organizations to find
 * a few.
 */
export const walkEvents = ({
  organizationId,
  subject,
  order,
}: Pick<EventQuery, 'organizationId' | 'subject' | 'order'>) => {
  const keys = ['e.organization_id', ...(subject === undefined ? [] : ['e.subject']), 'e.position']
  const owner = subject === undefined ? [organizationId] : [organizationId, subject]
  const [row, values] = [keys.join(', '), keys.map(() => '?').join(', ')]
  const isReverse = order === 'newest_first'
  const orderBy = `ORDER BY ${keys.map((key) => (isReverse ? `${key} DESC` : key)).join(', ')}`
  /** Adds the conditions that an event belongs to the organization or subject and is within the positions. */
  const within = (where: Conditions, { low, high }: Positions): Conditions =>
    where.and(`(${row}) >= (${values})`, ...owner, low).and(`(${row}) <= (${values})`, ...owner, high)
  return {
    orderBy,
    within,
    /** Reduces the positions to at most `maxExamined` events, if it is given. */
    limit: async (read: Query, positions: Positions, maxExamined: number | undefined): Promise<Examined> => {
      if (maxExamined === undefined) return { ...positions, end: undefined }
      const where = within(createConditions(), positions)
      // PostgreSQL also computes the rows that OFFSET skips, so this selects only keys.
      const [next] = await read<{ position: string }>(
        `SELECT position::text AS position FROM (
           SELECT e.position FROM wabakit.events e WHERE ${where.sql} ${orderBy} LIMIT 1 OFFSET ${maxExamined}
         ) AS e`,
        where.values,
      )
      if (next === undefined) return { ...positions, end: undefined }
      const end = BigInt(next.position) + (isReverse ? 1n : -1n)
      return { ...positions, [isReverse ? 'low' : 'high']: end, end }
    },
  }
}

/**
 * Finds the longest part of a string that contains no ASCII letters. With the collation "C", which changes the case of no other
 * letters, such a part is the same in upper and lower case.
 */
const findCaseless = (text: string): string =>
  text.split(/[a-z]+/i).reduce((longest, part) => (part.length > longest.length ? part : longest))

/** Adds a selection's conditions that should not use an index of `events e`. */
export const filterEvents = (
  where: Conditions,
  { names, digits, text, occurredFrom, occurredBefore }: EventSelection,
): Conditions => {
  if (text !== undefined) {
    // Searching for the digits of a number or id first is much faster, because few payloads contain them.
    const payload = 'e.payload COLLATE "C"'
    where.and(
      `(strpos(${payload}, ?) > 0 AND ${payload} ILIKE ? OR e.id = ?)`,
      findCaseless(text),
      toLikePattern(text),
      text,
    )
  }
  return (
    where
      .andIf('e.name = ANY (?)', names)
      .andIf('e.digits = ?', digits)
      // The sum prevents the planner from using the index by time, which contains the events of all organizations.
      .andIf('e.occurred_at + 0 >= ?', occurredFrom)
      .andIf('e.occurred_at + 0 < ?', occurredBefore)
  )
}
