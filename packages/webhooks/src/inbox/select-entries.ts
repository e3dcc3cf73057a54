import { readColumn } from '../dedupe/sql-database.ts'
import { WebhookUsageError } from '../errors.ts'
import type { InboxEntries, InboxSelection, InboxState } from '../receiver/inbox.ts'
import { assertOptions } from '../usage.ts'
import type { InboxEngine, InboxValue, Statement } from './engine.ts'
import { toCallSubject, toGroupSubject } from './identify.ts'
import { entryColumns, readBytes, readEntry } from './read-entry.ts'

/** Turns a selection into a condition. */
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
    // Text that is not a number cannot be an entry's id, and would be an error in PostgreSQL.
    const ids = [id].flat().filter((each) => /^\d{1,15}$/.test(each))
    add(ids.length === 0 ? '1 = 0' : `id IN (${ids.map(() => '?').join(', ')})`, ...ids)
  }
  if (state !== undefined) add('state = ?', state)
  if (reason !== undefined) add('reason = ?', reason)
  if (name !== undefined) add('name = ?', name)
  if (callId !== undefined) add('subject = ?', await toCallSubject(callId))
  if (groupId !== undefined) add('subject = ?', await toGroupSubject(groupId))
  return { text: conditions.join(' AND '), values }
}

/** Like {@link toCondition}, but refuses to select everything. */
const toChangeable = async (caller: string, selection: InboxSelection): Promise<Statement> => {
  const condition = await toCondition(caller, selection)
  if (condition.text === '')
    throw new WebhookUsageError(`${caller} needs a selection, such as { state: 'parked' }.`)
  return condition
}

/** Options for {@link createSelections}. */
type SelectionsOptions = {
  readonly table: string
  readonly keyMs: number
  /** Returns the SQL expression for the current Unix time in milliseconds. */
  readonly now: () => string
}

/** Creates the functions that list, retry and discard selected entries. */
export const createSelections = (
  { query }: Pick<InboxEngine<unknown, unknown>, 'query'>,
  { table, keyMs, now }: SelectionsOptions,
): Omit<InboxEntries, 'erase'> => {
  const change = async (set: string, states: string, { text, values }: Statement): Promise<number> => {
    const statement = `UPDATE ${table} SET ${set} WHERE state IN (${states}) AND ${text} RETURNING id`
    return (await query({ text: statement, values })).count
  }
  return {
    list: async (selection = {}, page = {}) => {
      assertOptions('list()', page, ['limit', 'after'])
      const { limit = 100, after = '0' } = page
      const { text, values } = await toCondition('list()', selection)
      const condition = ['id > ?', text].filter((each) => each !== '').join(' AND ')
      const statement = `SELECT ${entryColumns} FROM ${table} WHERE ${condition} ORDER BY id LIMIT ?`
      return (await query({ text: statement, values: [after, ...values, limit] })).rows.map(readEntry)
    },
    show: async (id) => {
      const { text, values } = await toCondition('show()', { id })
      const { rows } = await query({
        text: `SELECT ${entryColumns}, body FROM ${table} WHERE ${text}`,
        values,
      })
      return rows.length === 0 ? undefined : { ...readEntry(rows[0]), body: readBytes(rows[0]) }
    },
    count: async () => {
      const { rows } = await query({
        text: `SELECT state, count(*) AS entries FROM ${table} GROUP BY state`,
        values: [],
      })
      const counts: Partial<Record<InboxState, number>> = {}
      for (const row of rows) counts[readEntry(row).state] = Number(readColumn(row, 'entries'))
      return counts
    },
    retry: async (selection) => {
      const condition = await toChangeable('retry()', selection)
      const set = `fact = CASE WHEN state = 'suppressed' THEN NULL ELSE fact END, reason = NULL,
        attempts = 0, due_at = ${now()}, holds_until = NULL, state = 'stored'`
      return change(set, `'failed', 'parked', 'suppressed'`, {
        ...condition,
        text: `body IS NOT NULL AND ${condition.text}`,
      })
    },
    discard: async (selection) => {
      const set = `state = 'discarded', body = NULL, headers = NULL, due_at = ${now()} + ${keyMs}`
      return change(
        set,
        `'stored', 'failed', 'parked', 'suppressed'`,
        await toChangeable('discard()', selection),
      )
    },
  }
}
