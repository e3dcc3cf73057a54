import { longestTimerMs, writeJson } from '@wabakit/wire'
import { encoder } from '../bytes.ts'
import { toKey, toSummaryFact } from '../identity/identity.ts'
import type { InboxHost, Reconciled, ReconcileOptions, SummaryClient } from '../receiver/inbox.ts'
import { readColumn, readProperty } from '../sql/sql-database.ts'
import { toStoredMs } from '../time-limit.ts'
import { assertAboveZero, assertOptions } from '../usage.ts'
import type { InboxValue } from './engine.ts'
import type { Entries } from './entries.ts'
import { createPick } from './pick-entries.ts'
import { readDate } from './read-entry.ts'
import { readRows, toUnreadableError } from './read-rows.ts'
import { hashFact, parseRow } from './stored-event.ts'
import { type InboxTable, toName } from './table.ts'

/** Number of ids in each range that is examined. */
const pageSize = 500

/**
 * Margin for entries whose ids and arrival times are not in the same order, for example because the
 * database's clock was set back, in milliseconds.
 */
const slackMs = 3_600_000

/** Time limit for one request, in milliseconds. After that, another process may continue. */
const requestMs = 20_000

/**
 * Maximum delay before the second request for a summary, and before any later one, in milliseconds. `Retry-After` may
 * ask for more.
 */
const firstDelayMs = 60_000
const maximumDelayMs = 21_600_000

/**
 * Time between the two requests for a summary that was not found (404), in milliseconds. A live service
 * responds with 404 for every WhatsApp call, so more requests would only use up the rate limit.
 */
const notFoundDelayMs = 86_400_000

/** The `error` of an entry whose summary was not found once. */
const notFound = 'not_found'

/** Events after which a call never has a summary. */
const unanswered = ['CALL_MISSED', 'CALL_REJECTED']

const hasStatus = (error: unknown, status: number, name: string): boolean =>
  readProperty(error, 'name') === name && readProperty(error, 'status') === status

type Parts = Pick<InboxHost<never>, 'report' | 'maxBodyBytes'> & {
  readonly entries: Pick<Entries, 'end'>
  /** Called after a summary was fetched. */
  readonly wake: () => void
}

/**
 * Creates the function that requests the missing summaries of calls with other stored events. A missing
 * summary is an entry in state `missing`, whose `due_at` is the time of the next request. While a process
 * requests it, the entry has a token. Meanwhile, for at most `requestMs`, no other process requests any summary.
 */
export const createReconcile = (place: InboxTable, { entries, maxBodyBytes, report, wake }: Parts) => {
  const { table, engine, retention, now } = place
  const { keyMs } = retention
  const { query } = engine
  const { isIn, isDueIn, inOrder } = createPick(place)
  const readText = (row: unknown, column: string): string => String(readColumn(row, column))
  /** Returns NaN for an entry whose time of arrival cannot be read. */
  const readAge = (row: unknown): number =>
    Number(readColumn(row, 'now')) - (readDate(row, 'received_at')?.getTime() ?? Number.NaN)
  const reportError = (error: unknown): Promise<unknown> =>
    Promise.resolve(report(error, { stage: 'inbox', headers: new Headers(), context: undefined }))

  /**
   * Returns the first and the last id of a range that contains all entries younger than `ageMs`. Ids are in
   * the order of arrival, except the ids of missing summaries. An entry of unknown age may be young.
   */
  const findRange = async (ageMs: number): Promise<readonly [first: number, last: number]> => {
    const { rows } = await query(`SELECT min(id) AS first, max(id) AS last FROM ${table}`)
    const last = Number(readColumn(rows[0], 'last'))
    let [first, end] = [Number(readColumn(rows[0], 'first')), last]
    while (end - first > pageSize) {
      const middle = Math.floor((first + end) / 2)
      const text = `SELECT id, received_at, ${now()} AS now FROM ${table}
        WHERE id >= ? AND source <> 'reconcile' ORDER BY id LIMIT 1`
      const { rows } = await query(text, [middle]).catch((error: unknown) => {
        if (engine.isTransient(error)) throw error
        return { rows: [] }
      })
      if (readAge(rows[0]) > ageMs) first = Number(readColumn(rows[0], 'id'))
      else end = middle
    }
    return [first, last]
  }

  const findMissing = async (olderThanMs: number, maxAgeMs: number, signal?: AbortSignal): Promise<void> => {
    const [first, last] = await findRange(maxAgeMs + slackMs)
    const unreadable = new Map<string, unknown>()
    for (let start = first; start <= last && signal?.aborted !== true; start += pageSize) {
      // Reads a range of ids, and looks up the fact by lane. Otherwise PostgreSQL would sort the whole table
      // if it has no statistics.
      const rows = readRows(place, {
        columns: `subject, received_at, ${now()} AS now, (SELECT s.fact FROM ${table} s
          WHERE s.subject = ${toName(table)}.subject AND s.fact IS NOT NULL LIMIT 1) AS fact`,
        condition: `id >= ${start} AND id < ${start + pageSize} AND state <> 'missing' AND subject LIKE 'call:%'`,
        unreadable,
      })
      const calls = new Map<string, number>()
      for await (const row of rows) {
        const [subject, age] = [readText(row, 'subject'), readAge(row)]
        if (Number.isNaN(age)) unreadable.set(readText(row, 'id'), new Error('received_at is not a time'))
        if (!(age >= olderThanMs && age <= maxAgeMs)) continue
        if (readColumn(row, 'fact') !== null || subject.startsWith('call:sha256:')) continue
        if (!calls.has(subject)) calls.set(subject, Number(readColumn(row, 'received_at')))
      }
      if (calls.size === 0) continue
      const values: InboxValue[] = []
      for (const [subject, receivedAt] of calls) {
        const fact = toSummaryFact(subject.slice(5))
        const { key } = await toKey('fact', `reconcile\n${fact}`)
        values.push(key, await hashFact(fact), subject, receivedAt)
      }
      const row = `(?, 'reconcile', 'CALL_AI_SUMMARY', ?, ?, 'missing', ${now()}, ?)`
      await query(
        `INSERT INTO ${table} (event_key, source, name, fact, subject, state, due_at, received_at)
          VALUES ${[...calls].map(() => row).join(', ')} ON CONFLICT (event_key) DO NOTHING RETURNING id`,
        values,
      )
    }
    const error = toUnreadableError(table, unreadable)
    if (error !== undefined) await reportError(error)
  }

  /** Claims the first due summary. Until the claim ends or expires, no other process requests a summary. */
  const claimDue = async () => {
    const token = crypto.randomUUID()
    const [row] = await engine.claim({
      table,
      token,
      due: isDueIn('missing'),
      pick: {
        text: `SELECT id, state, due_at FROM ${table} WHERE ${isDueIn('missing')}
          AND NOT EXISTS (SELECT 1 FROM ${table} t WHERE ${isIn('missing', 't.')} AND t.token IS NOT NULL
            AND t.due_at > ${now()} AND t.due_at <= ${now()} + ${requestMs})
          ${inOrder()} LIMIT 1`,
        values: [],
      },
      set: { text: `due_at = ${now()} + ?, attempts = attempts + 1`, values: [requestMs] },
      columns: 'id, subject, fact, attempts, error',
    })
    if (row === undefined) return undefined
    return {
      id: readText(row, 'id'),
      token,
      subject: readText(row, 'subject'),
      fact: readText(row, 'fact'),
      attempts: Number(readColumn(row, 'attempts')),
      wasNotFound: readColumn(row, 'error') === notFound,
    }
  }

  type Missing = NonNullable<Awaited<ReturnType<typeof claimDue>>>

  const close = (missing: Missing, state: 'suppressed' | 'unavailable' | 'given_up') =>
    entries.end(missing, `state = '${state}', due_at = ${now()} + ?`, [keyMs])

  /** Reads the other events of a call. Returns their details, and the entry's final state if no request is needed. */
  const readCall = async ({ id, subject, fact }: Missing, maxAgeMs: number) => {
    const unreadable = new Map<string, unknown>()
    const found = readRows(place, {
      columns: `name, fact, body, received_at, ${now()} AS now`,
      condition: 'subject = ? AND id <> ?',
      values: [subject, id],
      unreadable,
    })
    const rows: unknown[] = []
    for await (const row of found) rows.push(row)
    const erased = await query(`SELECT fact FROM ${table} WHERE fact = ? AND state = 'erased'`, [fact])
    let details: { readonly channel?: unknown } = {}
    for (const row of rows) {
      const parsed = parseRow(row, maxBodyBytes)
      const fields = parsed?.kind === 'event' ? parsed.event : {}
      const present = Object.entries(fields).filter(([, value]) => value !== '' && value !== null)
      details = { ...details, ...Object.fromEntries(present) }
    }
    const ages = rows.map(readAge).filter((age) => !Number.isNaN(age))
    const isOld = rows.length === 0 ? unreadable.size === 0 : Math.max(...ages) > maxAgeMs
    if (erased.count > 0 || rows.some((row) => readColumn(row, 'fact') !== null)) {
      return { details, final: 'suppressed' } as const
    }
    if (rows.some((row) => unanswered.includes(readText(row, 'name')))) {
      return { details, final: 'unavailable' } as const
    }
    return { details, final: isOld ? 'given_up' : undefined } as const
  }

  /** Returns the time until the summary is requested again, in milliseconds. */
  const toDelay = ({ attempts }: Missing, error: unknown, olderThanMs: number): number => {
    const backoffMs = Math.min(firstDelayMs, olderThanMs) * 2 ** (attempts - 1)
    const retryAfterMs = Number(readProperty(error, 'retryAfterMs') ?? 0)
    return Math.round(Math.max(retryAfterMs, Math.min(maximumDelayMs, backoffMs)))
  }

  return async (client: SummaryClient, options: ReconcileOptions): Promise<Reconciled> => {
    assertOptions('reconcile()', options, ['olderThanMs', 'maxAgeMs', 'intervalMs', 'signal'])
    const { maxAgeMs: givenAgeMs = 3 * 24 * 3_600_000, intervalMs = 1_000, signal } = options
    const times = { olderThanMs: options.olderThanMs ?? Number.NaN, maxAgeMs: givenAgeMs, intervalMs }
    for (const [name, value] of Object.entries(times)) assertAboveZero(name, value)
    const [olderThanMs, maxAgeMs] = [toStoredMs(times.olderThanMs), toStoredMs(times.maxAgeMs)]
    if (maxAgeMs >= keyMs) throw new RangeError('maxAgeMs must be less than retention.keyMs.')
    const counts = {
      asked: 0,
      accepted: 0,
      pending: 0,
      notFound: 0,
      unavailable: 0,
      denied: 0,
      limited: 0,
      givenUp: 0,
    }
    await findMissing(olderThanMs, maxAgeMs, signal)
    let wasAsked = false
    while (signal?.aborted !== true) {
      // Waits before the claim, so that a process that ends during the wait does not hold up other processes.
      if (wasAsked) await new Promise((resolve) => setTimeout(resolve, Math.min(intervalMs, longestTimerMs)))
      const missing = await claimDue()
      wasAsked = false
      if (missing === undefined) break
      const { details, final } = await readCall(missing, maxAgeMs)
      if (final !== undefined) {
        await close(missing, final)
        if (final === 'given_up') counts.givenUp += 1
        continue
      }
      counts.asked += 1
      wasAsked = true
      const limit = AbortSignal.timeout(requestMs)
      const requested = missing.subject.slice(5)
      try {
        const record = await client.calls.getSummary(requested, {
          signal: signal ? AbortSignal.any([signal, limit]) : limit,
        })
        const callId = record.callId || requested
        if (callId !== requested) throw new Error('getSummary() returned the summary of another call.')
        const body = encoder.encode(writeJson({ ...details, ...record, callId, event: 'CALL_AI_SUMMARY' }))
        const set = `state = 'stored', attempts = 0, body = ?, due_at = ${now()}, received_at = ${now()}`
        if (await entries.end(missing, set, [body])) counts.accepted += 1
        wake()
      } catch (error) {
        if (hasStatus(error, 422, 'SummaryUnavailableError')) {
          await close(missing, 'unavailable')
          counts.unavailable += 1
          continue
        }
        const isNotFound =
          hasStatus(error, 404, 'NotFoundError') && readProperty(error, 'code') !== 'route_not_found'
        if (isNotFound) counts.notFound += 1
        // Only a call that is known to be a PSTN call is likely to have a summary later.
        if (isNotFound && details.channel !== 'PSTN') {
          const again = `error = '${notFound}', due_at = ${now()} + ?`
          await (missing.wasNotFound
            ? close(missing, 'unavailable')
            : entries.end(missing, again, [notFoundDelayMs]))
          continue
        }
        await entries.end(missing, `due_at = ${now()} + ?`, [toDelay(missing, error, olderThanMs)])
        if (isNotFound) continue
        if (hasStatus(error, 202, 'SummaryPendingError')) {
          counts.pending += 1
        } else if (hasStatus(error, 429, 'RateLimitError')) {
          counts.limited += 1
          break
        } else if (hasStatus(error, 403, 'PermissionDeniedError')) {
          // The key is wrong, or the organization cannot fetch summaries, so every other request would be refused, too.
          counts.denied += 1
          await reportError(error)
          break
        } else throw error
      }
    }
    return counts
  }
}
