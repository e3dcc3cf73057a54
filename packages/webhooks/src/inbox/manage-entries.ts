import { toSubject } from '../identity/identity.ts'
import type { InboxHost } from '../receiver/inbox.ts'
import type { InboxCounting, InboxEntries, InboxSelection } from '../receiver/inbox-entries.ts'
import { readColumn } from '../sql/sql-database.ts'
import { toStoredMs } from '../time-limit.ts'
import { assertAboveZero, assertNames, assertOptions, assertWhole } from '../usage.ts'
import { type InboxValue, refuse, type Statement, toPlaceholders } from './engine.ts'
import { discarded, erased, openStates, setAsideStates } from './entries.ts'
import { createErasure } from './erase-entries.ts'
import { entryColumns, readBytes, readEntry } from './read-entry.ts'
import { readAllRows, readRows, reportUnreadable } from './read-rows.ts'
import { parseRow } from './stored-event.ts'
import type { InboxTable } from './table.ts'

const toCondition = async (caller: string, selection: InboxSelection): Promise<Statement> => {
  assertOptions(caller, selection, ['id', 'state', 'reason', 'name', 'callId', 'groupId'])
  const { id, state, reason, name, callId, groupId } = selection
  const conditions: string[] = []
  const values: InboxValue[] = []
  const add = (condition: string, ...more: InboxValue[]): void => {
    conditions.push(condition)
    values.push(...more)
  }
  if (id !== undefined) {
    // Text that is not a number cannot be an entry's id, and would cause an error in PostgreSQL.
    const ids = [id].flat().filter((each) => /^\d{1,15}$/.test(each))
    add(ids.length === 0 ? '1 = 0' : `id IN (${toPlaceholders(ids)})`, ...ids)
  }
  if (state !== undefined) add('state = ?', state)
  if (reason !== undefined) add('reason = ?', reason)
  if (name !== undefined) add('name = ?', name)
  if (callId !== undefined) add('subject = ?', await toSubject('call', callId))
  if (groupId !== undefined) add('subject = ?', await toSubject('group', groupId))
  return { text: conditions.join(' AND '), values }
}

/** Like {@link toCondition}, but refuses to select everything. */
const toChangeable = async (caller: string, selection: InboxSelection): Promise<Statement> => {
  const condition = await toCondition(caller, selection)
  return condition.text === ''
    ? refuse(`${caller} needs a selection, such as { state: 'parked' }.`)
    : condition
}

export const createManagement = (place: InboxTable): InboxEntries => {
  const { table, engine, retention, now } = place
  const { query } = engine
  const change = async (set: string, condition: string, values: readonly InboxValue[]): Promise<number> =>
    (await query(`UPDATE ${table} SET ${set} WHERE ${condition} RETURNING id`, values)).count
  /** Makes entries due if they wait for a failed entry in their lane that is now retried, discarded or erased. */
  const releaseLanes = (condition: string, values: readonly InboxValue[]): Promise<unknown> =>
    change(
      `due_at = ${now()}`,
      // In MySQL, an UPDATE may read its own table only in a derived table. DISTINCT keeps it from being merged.
      `state = 'stored' AND due_at > ${now()} AND subject IN (SELECT subject FROM
        (SELECT DISTINCT subject FROM ${table} WHERE state = 'failed' AND ${condition}) lanes)`,
      values,
    )
  const toDeletion = (): string => `due_at = ${now()} + ${retention.keyMs}`

  return {
    list: async (selection = {}, page = {}) => {
      assertOptions('list()', page, ['limit', 'after'])
      const { limit = 100, after = '0' } = page
      assertWhole('limit', limit)
      const { text, values } = await toCondition('list()', selection)
      const condition = ['id > ?', text].filter((each) => each !== '').join(' AND ')
      const rows = { columns: entryColumns, condition: `${condition} ORDER BY id LIMIT ?` }
      return (await readAllRows(place, { ...rows, values: [after, ...values, limit] })).map(readEntry)
    },
    show: async (id) => {
      const { text, values } = await toCondition('show()', { id })
      const rows = { columns: `${entryColumns}, body`, condition: text, values }
      const [row] = await readAllRows(place, rows)
      return row === undefined ? undefined : { ...readEntry(row), body: readBytes(row) }
    },
    count: async (counting: InboxCounting = {}) => {
      assertOptions('count()', counting, ['by', 'stuckForMs'])
      const { by = 'state', stuckForMs } = counting
      assertNames('a value of by', { names: [by], known: ['state', 'reason'] })
      assertAboveZero('stuckForMs', stuckForMs)
      const conditions = [
        ...(by === 'reason' ? [`state = 'parked'`] : []),
        ...(stuckForMs === undefined ? [] : [`state IN (${openStates}) AND received_at <= ${now()} - ?`]),
      ]
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
      const text = `SELECT ${by} AS kind, count(*) AS entries FROM ${table} ${where} GROUP BY ${by}`
      const { rows } = await query(text, stuckForMs === undefined ? [] : [toStoredMs(stuckForMs)])
      const counts = rows.map((row) => [String(readColumn(row, 'kind')), Number(readColumn(row, 'entries'))])
      return Object.fromEntries(counts)
    },
    retry: async (selection) => {
      const { text, values } = await toChangeable('retry()', selection)
      const set = `fact = CASE WHEN state = 'suppressed' THEN NULL ELSE fact END, reason = NULL,
        attempts = 0, due_at = ${now()}, holds_until = NULL, state = 'stored'`
      await releaseLanes(text, values)
      const retriable = `state IN ('failed', ${setAsideStates}, 'suppressed') AND body IS NOT NULL`
      return change(set, `${retriable} AND ${text}`, values)
    },
    discard: async (selection) => {
      const { text, values } = await toChangeable('discard()', selection)
      await releaseLanes(text, values)
      const set = `${discarded}, ${toDeletion()}`
      return change(set, `state IN ('stored', 'failed', ${setAsideStates}, 'suppressed') AND ${text}`, values)
    },
    erase: createErasure(place, async (condition, ...values) => {
      await releaseLanes(condition, values)
      return change(`${erased}, token = NULL, ${toDeletion()}`, `state <> 'erased' AND ${condition}`, values)
    }),
  }
}

type Parts = Pick<InboxHost<never>, 'handlers' | 'maxBodyBytes'> & Pick<InboxEntries, 'retry'>

/**
 * Creates a function that retries unhandled and parked entries that now have a handler, after an upgrade or a new call of
 * `on`. A worker calls it when it first starts or drains, and then at most hourly. Entries parked as `failed` or
 * `unreadable` wait for `retry` or a duplicate.
 */
export const createUnpark = (place: InboxTable, { handlers, maxBodyBytes, retry }: Parts) => {
  const { table } = place
  const waiting = `body IS NOT NULL AND (state = 'unhandled' OR (state = 'parked' AND reason = 'unknown'))`
  const others = `SELECT id FROM ${table} WHERE (name IS NULL AND ${waiting})
    OR (state = 'parked' AND reason = 'drifted' AND body IS NOT NULL)`

  return async (): Promise<void> => {
    const unreadable = new Map<string, unknown>()
    /**
     * Selects one entry for each state and event name, because a handler takes either all events with a name that match their
     * contract or none. Drifted entries and entries without a name are examined one by one, because each may be different.
     */
    const toRepresentatives =
      (): string => `SELECT min(id) AS id FROM ${table} WHERE name IS NOT NULL AND ${waiting}
      AND id NOT IN (${['0', ...unreadable.keys()].join()}) GROUP BY state, name`
    /** Examines the entries that a query selects. If its value is a name, no entry stands for the others of that name. */
    const examine = async (ids: string, ...each: readonly string[]): Promise<void> => {
      const columns = 'name, state, reason, body'
      const rows = { columns, condition: `id IN (${ids})`, values: each, unreadable }
      for await (const row of readRows(place, rows)) {
        const parsed = parseRow(row, maxBodyBytes)
        const { id, state, reason, name } = readEntry(row)
        const isAlone = each.length > 0 || name === undefined || reason === 'drifted'
        if (parsed !== undefined && handlers.find(parsed).length > 0)
          await retry(isAlone ? { id, state } : { state, reason, name })
        // It does not stand for the others if the contract or `maxBodyBytes` has changed since it was set aside.
        else if (!isAlone && (parsed === undefined || parsed.kind === 'drifted'))
          await examine(`SELECT id FROM ${table} WHERE name = ? AND ${waiting}`, name)
      }
    }
    for (let known = -1; known < unreadable.size; ) {
      known = unreadable.size
      await examine(toRepresentatives())
    }
    await examine(others)
    reportUnreadable(table, unreadable)
  }
}
