import { readDigits } from '@wabakit/wire'
import { readColumn } from '../dedupe/sql-database.ts'
import { hashText, toSubject, toSummaryFact } from '../identity/identity.ts'
import type { RawPayload } from '../parse/parse-event.ts'
import type { InboxHost } from '../receiver/inbox.ts'
import type { InboxCounting, InboxEntries, InboxSelection } from '../receiver/inbox-entries.ts'
import { toStoredMs } from '../time-limit.ts'
import { assertAboveZero, assertNames, assertOptions, assertWhole } from '../usage.ts'
import { type InboxValue, refuse, type Statement, toPlaceholders } from './engine.ts'
import { discarded, erased, openStates, setAsideStates } from './entries.ts'
import { hashFact, parseRow } from './identify.ts'
import { type Mention, toIdMention, toNumberMention } from './mentions.ts'
import { entryColumns, readBytes, readEntry, readRows, readText } from './read-entry.ts'
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

/** Columns other than the body that may contain personal data. */
const texts = ['subject', 'name', 'delivery_id', 'error']

/** Reads the id of the call that a row is about. Its subject may contain only a hash of the id. */
const readCallId = (row: unknown): string | undefined => {
  const subject = readText(row, 'subject')
  if (!subject?.startsWith('call:')) return undefined
  const parsed = parseRow(row, Number.POSITIVE_INFINITY)
  const { callId }: RawPayload = (parsed?.kind === 'event' ? parsed.event : parsed?.raw) ?? {}
  return typeof callId === 'string' && callId !== '' ? callId : subject.slice(5)
}

export const createManagement = (place: InboxTable): InboxEntries => {
  const { table, engine, retention, now } = place
  const { query } = engine
  const change = async (set: string, condition: string, values: readonly InboxValue[]): Promise<number> =>
    (await query(`UPDATE ${table} SET ${set} WHERE ${condition} RETURNING id`, values)).count
  /** Makes entries due if they wait for a failed entry in their lane that is now retried or given up. */
  const releaseLanes = (condition: string, values: readonly InboxValue[]): Promise<unknown> =>
    change(
      `due_at = ${now()}`,
      // In MySQL, an UPDATE may read its own table only in a derived table. DISTINCT keeps it from being merged.
      `state = 'stored' AND due_at > ${now()} AND subject IN (SELECT subject FROM
        (SELECT DISTINCT subject FROM ${table} WHERE state = 'failed' AND ${condition}) lanes)`,
      values,
    )
  const toDeletion = (): string => `due_at = ${now()} + ${retention.keyMs}`

  const eraseWhere = async (condition: string, value: string): Promise<number> => {
    await releaseLanes(condition, [value])
    return change(`${erased}, token = NULL, ${toDeletion()}`, `state <> 'erased' AND ${condition}`, [value])
  }

  async function* findMentions(mention: Mention) {
    for await (const row of readRows(place, [...texts, 'body'].join(', '), `state <> 'erased'`)) {
      const body = readBytes(row)
      const isMentioned = texts.some((column) => mention.isIn(readText(row, column) ?? ''))
      if (isMentioned || (body !== undefined && mention.isInBody(body))) yield row
    }
  }
  const eraseRow = (row: unknown): Promise<number> => eraseWhere('id = ?', String(readColumn(row, 'id')))

  const eraseSubject = async (kind: 'call' | 'group', id: string): Promise<number> => {
    let count = await eraseWhere('subject = ?', await toSubject(kind, id))
    for await (const row of findMentions(toIdMention(id))) count += await eraseRow(row)
    return count
  }

  const eraseCall = async (callId: string): Promise<number> => {
    // Stores the hash of the fact as erased, so that a summary that arrives later is erased, too.
    const fact = toSummaryFact(callId)
    const text = `INSERT INTO ${table} (event_key, source, fact, state, due_at, received_at)
      VALUES (?, 'erased', ?, 'erased', ${now()} + ${retention.keyMs}, ${now()})
      ON CONFLICT (event_key) DO NOTHING RETURNING id`
    await query(text, [await hashText(`erased\n${fact}`), await hashFact(fact)])
    return eraseSubject('call', callId)
  }

  const eraseNumber = async (number: string): Promise<number> => {
    const digits = readDigits(number)
    if (digits === '') return refuse('erase() needs a number with digits.')
    let count = 0
    const calls = new Set<string>()
    for await (const row of findMentions(toNumberMention(digits))) {
      const callId = readCallId(row)
      count += await eraseRow(row)
      if (callId !== undefined) calls.add(callId)
    }
    for (const callId of calls) count += await eraseCall(callId)
    return count
  }

  return {
    list: async (selection = {}, page = {}) => {
      assertOptions('list()', page, ['limit', 'after'])
      const { limit = 100, after = '0' } = page
      assertWhole('limit', limit)
      const { text, values } = await toCondition('list()', selection)
      const condition = ['id > ?', text].filter((each) => each !== '').join(' AND ')
      const statement = `SELECT ${entryColumns} FROM ${table} WHERE ${condition} ORDER BY id LIMIT ?`
      return (await query(statement, [after, ...values, limit])).rows.map(readEntry)
    },
    show: async (id) => {
      const { text, values } = await toCondition('show()', { id })
      const [row] = (await query(`SELECT ${entryColumns}, body FROM ${table} WHERE ${text}`, values)).rows
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
    erase: async (what) => {
      if ('callId' in what) return eraseCall(what.callId)
      if ('groupId' in what) return eraseSubject('group', what.groupId)
      return eraseNumber(what.number)
    },
  }
}

type Parts = Pick<InboxHost<never>, 'handlers' | 'maxBodyBytes'> & Pick<InboxEntries, 'retry'>

/**
 * Creates a function that retries unhandled and parked entries that now have a handler, after an upgrade or a new call of
 * `on`. A worker calls it when it starts or drains, and hourly. Entries parked as `failed` or `unreadable` wait for `retry`
 * or a duplicate.
 */
export const createUnpark = (place: InboxTable, { handlers, maxBodyBytes, retry }: Parts) => {
  const { table, engine } = place
  const waiting = `body IS NOT NULL AND (state = 'unhandled' OR (state = 'parked' AND reason = 'unknown'))`
  /**
   * Selects one entry for each event name, because a handler takes either all events with a name or none.
   * Drifted entries and entries without a name are examined one by one, because each may be different.
   */
  const representatives = `SELECT min(id) AS id FROM ${table} WHERE name IS NOT NULL AND ${waiting} GROUP BY state, name`
  const others = `SELECT id FROM ${table} WHERE (name IS NULL AND ${waiting})
    OR (state = 'parked' AND reason = 'drifted' AND body IS NOT NULL)`

  return async (): Promise<void> => {
    // Earlier versions parked the events that had no handler.
    const convert = `UPDATE ${table} SET state = 'unhandled', reason = NULL WHERE id = ? AND state = 'parked' RETURNING id`
    for await (const row of readRows(place, 'reason', `state = 'parked' AND reason = 'no_handler'`))
      await engine.query(convert, [String(readColumn(row, 'id'))])
    for (const ids of [representatives, others]) {
      for await (const row of readRows(place, 'name, state, reason, body', `id IN (${ids})`)) {
        const parsed = parseRow(row, maxBodyBytes)
        if (parsed === undefined || handlers.find(parsed).length === 0) continue
        const { id, state, reason, name } = readEntry(row)
        await retry(name === undefined || reason === 'drifted' ? { id, state } : { state, reason, name })
      }
    }
  }
}
