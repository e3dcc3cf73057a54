import { type Statement, toPlaceholders } from './engine.ts'
import type { InboxTable } from './table.ts'

/** Longest time for which an entry is postponed, in milliseconds. */
const slotMs = 60_000

/**
 * How many more entries than its limit a claim for first attempts examines. It also examines one more for each claimed
 * entry.
 */
const windowMargin = 100
/** The same on MySQL, which takes only a constant: enough for 500 busy lanes. */
const constantMargin = 500

/** How many more entries SQLite and MySQL examine when they postpone entries than when they claim them. */
const postponedSize = 1_000

export type PickRequest = {
  /** Set to claim entries that were attempted before. */
  readonly again: boolean
  /** Ids of entries that this process is still handling, even if their claims have expired. */
  readonly except: readonly string[]
  readonly limit: number
}

/**
 * Creates the queries for the entries that a claim takes: due ones, at most one of each lane, that neither an earlier nor a
 * claimed entry of their lane holds up.
 *
 * An entry that fails holds up the later ones for five minutes from its first attempt (`holds_until`, set by `claim` in
 * `entries.ts`). Then they overtake it, but not while it is claimed: two entries of a lane are handled at the same time only if
 * a claim expires before its handlers have ended. Claims of several processes run one after the other, under a lock of the table
 * (on PostgreSQL `holdsLock` in `engines/postgresql.ts`).
 */
export const createPick = ({ table, engine, now }: Pick<InboxTable, 'table' | 'engine' | 'now'>) => {
  const { dialect, byLane = () => '' } = engine
  const isPostgres = dialect === 'postgresql'
  /**
   * Returns a constant in a form that hides it from PostgreSQL's planner. Otherwise, a planner with statistics
   * older than the entries of a state would read all of them, instead of those of one lane.
   */
  const hide = (constant: string): string => (isPostgres ? `(SELECT ${constant})` : constant)

  /**
   * Returns the condition that an entry is in this state, for a search by `due_at`. If MySQL could look up the state alone, it
   * would sometimes read all entries of the state, so it gets two states. No entry has the second one.
   */
  const isIn = (state: string, prefix = ''): string =>
    `${prefix}state ${dialect === 'mysql' ? `IN ('${state}', '')` : `= '${state}'`}`
  /** Returns the condition that an entry is due in this state. */
  const isDueIn = (state: string, prefix = ''): string =>
    `${isIn(state, prefix)} AND ${prefix}due_at <= ${now()}`
  /** Returns the order in which the index of due entries has the entries of {@link isDueIn}. */
  const inOrder = (prefix = ''): string =>
    `ORDER BY ${dialect === 'mysql' ? `${prefix}state, ` : ''}${prefix}due_at, ${prefix}id`

  /** Returns the condition that the lane of `r` has another entry in this state that meets the condition. */
  const hasOther = (state: string, condition: string): string =>
    `EXISTS (SELECT 1 FROM ${table} s ${byLane()} WHERE s.subject = r.subject AND s.state = ${hide(`'${state}'`)}
      AND s.id <> r.id AND (${condition}))`

  /**
   * Returns the condition that the first entry of the lane in this state is earlier than `r`. SQLite and MySQL find it at once, because
   * their index of lanes has the entries in order.
   */
  const hasEarlier = (state: string): string =>
    `COALESCE((SELECT s.id FROM ${table} s ${byLane()} WHERE s.subject = r.subject AND s.state = '${state}'
      ORDER BY s.id LIMIT 1) < r.id, 0)`

  /**
   * Returns the condition that an earlier or a claimed entry of the lane keeps `r` from being claimed. A
   * retry also waits for an earlier retry that is due, so that retries of one lane keep their order.
   *
   * On PostgreSQL, the search among the failed entries of a lane may read all of them, because the index of lanes does not have them in order.
   * An index that ends with the id, as those of SQLite and MySQL do, would find the first one at once, but only users who may create
   * one would have it. With the default of 20 attempts, a lane has about 100 failed entries at most: each holds up the next one for
   * five minutes, and is parked within about eight hours. For a retry, PostgreSQL also reads the stored entries of its lane, which
   * `inbox.retry()` may have put back.
   */
  const isHeldUp = (again: boolean): string => {
    const holds = `s.holds_until > ${now()}${again ? ` OR s.due_at <= ${now()}` : ''}`
    const conditions = [
      hasOther('claimed', `s.due_at > ${now()} OR (s.id + 0 < r.id AND (${holds}))`),
      `${isPostgres ? '' : `${hasEarlier('failed')} AND `}${hasOther('failed', `s.id + 0 < r.id AND (${holds})`)}`,
      // On PostgreSQL, `toCandidates` takes only the first entry of each lane in the window for a first attempt.
      ...(isPostgres ? (again ? [hasOther('stored', 's.id + 0 < r.id')] : []) : [hasEarlier('stored')]),
    ]
    return `r.subject IS NOT NULL AND (${conditions.join(' OR ')})`
  }

  /**
   * Returns the query for the window: the first entries that are due for their first attempt, with their places among
   * those of their lanes. Reading all of them would cost too much when a long lane is blocked. `postpone` moves all but the first
   * entry of each lane to a later time. Each busy lane then takes up at most one place in the window, which has more places than
   * there are busy lanes, on MySQL up to 500.
   *
   * The limit is a query, for which PostgreSQL's planner expects a tenth of the entries. So it reads them by the index,
   * which has them in order, even without statistics on the table. It counts claimed entries in the same way: in a bitmap scan, each
   * claim would read the old versions of all entries that were claimed since the last VACUUM, while an index scan
   * marks them as dead.
   */
  const toWindow = (limit: number): string => {
    const size =
      dialect === 'mysql'
        ? limit + constantMargin
        : `(SELECT ${limit + windowMargin} + count(*) FROM (
            SELECT 1 FROM ${table} WHERE state = 'claimed' ORDER BY due_at LIMIT ${hide('1000000')}) busy)`
    return `(SELECT id, state, subject, due_at, row_number() OVER (PARTITION BY subject ORDER BY id) AS place FROM (
        SELECT id, state, subject, due_at FROM ${table} WHERE ${isDueIn('stored')} ${inOrder()}
        LIMIT ${size}) due
      ORDER BY due_at, id ${isPostgres ? 'OFFSET 0' : ''})`
  }

  /**
   * Returns the condition that an entry of the window is still due once it is locked. It has a form for
   * which there is no index, so that the planner looks the entry up by its id.
   */
  const isStillDue = (): string => `r.state || '' = 'stored' AND r.due_at + 0 <= ${now()}`

  const toDue = (again: boolean): string =>
    (again ? ['failed', 'claimed'] : ['stored']).map((state) => `(${isDueIn(state)})`).join(' OR ')

  /**
   * Returns the query for claimable entries. The limit is part of the text, because SQLite would replan the
   * query for each value of a parameter.
   */
  const toCandidates = ({ again, except, limit }: PickRequest, lock = ''): Statement => {
    const isWindow = isPostgres && !again
    const due = again ? table : toWindow(limit)
    const source = isWindow ? `${due} w JOIN ${table} r ON r.id = w.id` : `${due} r`
    const order = isWindow ? 'w' : 'r'
    const toSearch = (isDue: string): string => `SELECT r.id, r.state, r.due_at, r.subject FROM ${source}
      WHERE ${isDue} AND NOT (${isHeldUp(again)})
      ${except.length > 0 ? `AND r.id NOT IN (${toPlaceholders(except)})` : ''}
      ${inOrder(`${order}.`)} LIMIT ${hide(String(limit))} ${lock}`
    const toDueSearch = (state: string): string => toSearch(isDueIn(state, 'r.'))
    if (isWindow)
      return { text: toSearch(`${isStillDue()} AND (w.subject IS NULL OR w.place = 1)`), values: except }
    if (!again) return { text: toDueSearch('stored'), values: except }
    // The index has the entries of one state in order, so each search ends at the limit, which is hidden for the same reason as
    // in `toWindow`. For both states at once, every due entry would be examined and sorted.
    const [failed, claimed] = ['failed', 'claimed'].map(
      (state) => `SELECT * FROM (${toDueSearch(state)}) ${state}`,
    )
    return {
      text: `${failed} UNION ALL ${claimed} ORDER BY due_at, id LIMIT ${limit}`,
      values: [...except, ...except],
    }
  }

  /**
   * Returns the time to which PostgreSQL postpones the entries of a blocked lane, unless an earlier entry holds them up for less
   * long. Until that time comes, every postponed entry of the lane gets the same one, and hardly any other lane has it, so the
   * index finds the lane's first entry at once.
   */
  const toSlot = (subject: string): string =>
    `(${now()} + ${slotMs} - (${now()} - abs(hashtext(${subject}) % ${slotMs})) % ${slotMs})`

  /** Selects entries of the window that may have to wait for their lanes: all but the first of each lane, and that one if it waits for a retry. */
  const toPostponed = (limit: number): string => {
    const holds = `s.subject = r.subject AND s.state = ${hide(`'failed'`)} AND s.id + 0 < r.id AND s.holds_until > ${now()}`
    if (isPostgres)
      return `SELECT r.id, LEAST(${toSlot('r.subject')}, f.holds_until) AS due_at
        FROM ${toWindow(limit)} w JOIN ${table} r ON r.id = w.id
        CROSS JOIN LATERAL (SELECT max(s.holds_until) AS holds_until FROM ${table} s WHERE ${holds}) f
        WHERE ${isStillDue()} AND w.subject IS NOT NULL AND (w.place > 1 OR f.holds_until IS NOT NULL)
        FOR NO KEY UPDATE OF r SKIP LOCKED`
    const slot = `${now()} + ${slotMs}`
    return `SELECT r.id, CASE WHEN max(s.holds_until) < ${slot} THEN max(s.holds_until) ELSE ${slot} END AS due_at
      FROM ${toWindow(limit + postponedSize)} r LEFT JOIN ${table} s ${byLane()} ON ${holds}
      WHERE r.subject IS NOT NULL AND (r.place > 1 OR s.id IS NOT NULL) GROUP BY r.id`
  }

  /**
   * Selects the next entry of each lane of which one is claimed, so that it follows at once although it was postponed. SQLite and
   * MySQL have the entries of a lane in order in the index of lanes, and PostgreSQL in that of due entries.
   */
  const toNext = (): string =>
    isPostgres
      ? `SELECT n.id FROM picked p CROSS JOIN LATERAL (SELECT s.id FROM ${table} s
          WHERE s.state = 'stored' AND s.due_at = ${toSlot('p.subject')} AND s.subject || '' = p.subject
          ORDER BY s.due_at, s.id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) n`
      : `SELECT (SELECT s.id FROM ${table} s ${byLane()} WHERE s.subject = r.subject AND s.state = 'stored' ORDER BY s.id LIMIT 1) AS id
          FROM ${table} r WHERE r.id IN (SELECT id FROM picked)`

  return { hide, isIn, isDueIn, inOrder, toDue, toCandidates, toPostponed, toNext }
}
