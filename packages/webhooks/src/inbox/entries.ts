import type { ParkedReason } from '../receiver/inbox-entries.ts'
import { type Outcome, readColumn } from '../sql/sql-database.ts'
import { type EntryClaim, type InboxValue, type Statement, toPlaceholders } from './engine.ts'
import { createPick, type PickRequest } from './pick-entries.ts'
import { createClaimReader } from './read-claims.ts'
import { type ClaimedEntry, claimedColumns } from './read-entry.ts'
import { type InboxTable, inboxSyntaxes, toName } from './table.ts'

// Every entry of an inbox is in one state. From `due_at` on, it can be claimed, its summary requested, or its body or row deleted.
//
//   (arrives)  → stored                                   in the insert before the response (store-events.ts)
//   stored     → claimed                                  by a worker, the first of its lane
//   failed     → claimed                                  when its backoff is over
//   claimed    → claimed                                  by any worker, when the claim has expired
//   claimed    → handled                                  its handlers succeeded
//   claimed    → failed                                   the attempt failed, or was released
//   claimed    → unhandled                                it has no handler (attempts.ts)
//   claimed    → parked                                   the last attempt failed, or it is not understood (attempts.ts)
//   claimed    → discarded                                it has no handler, with `unhandled: 'discard'`
//   claimed    → suppressed                               another entry with the same fact was handled or discarded
//   claimed    → erased                                   another entry with the same fact was erased
//   unhandled, parked → stored                            a retry, or a handler that takes it now (manage-entries.ts)
//   unhandled, parked → stored                            a duplicate, which replaces its body (store-events.ts)
//   suppressed → stored                                   a retry
//   failed     → stored                                   a retry
//   stored, failed, unhandled, parked, suppressed → discarded   by request
//   (a call without a summary) → missing                  by reconcile
//   missing    → stored                                   the summary was fetched
//   missing    → suppressed                               its event arrived, or the call was erased
//   missing    → unavailable                              the call has no summary, or two requests found none
//   missing    → given_up                                 the age limit was reached, or the call has no other entry left
//   any        → erased                                   by request
//   handled, unhandled, parked, suppressed, discarded, unavailable, given_up, erased
//              → deleted when due; one with a body first loses the body, and is due again `keyMs` later
//
// A claim has a token. Every write of an attempt checks the token, so a worker that was paused until another one
// claimed its entry changes nothing. Leaving `claimed` removes the token.

/**
 * How long a failing entry holds up later entries in its lane, in milliseconds, from its first attempt. Then they overtake
 * it (`pick-entries.ts`).
 */
const holdMs = 300_000

/** States of entries that workers attempt, or are attempting. */
export const openStates = `'stored', 'failed', 'claimed'`

/** States of entries that wait for a handler, a retry or a duplicate. */
export const setAsideStates = `'unhandled', 'parked'`

export const erased = `state = 'erased', delivery_id = NULL, name = NULL, subject = NULL, reason = NULL, error = NULL,
  headers = NULL, body = NULL, sent_at = NULL`

export const discarded = `state = 'discarded', body = NULL, headers = NULL`

/** The outcome of an attempt that did not succeed. */
export type Settlement =
  | { readonly state: 'failed'; readonly error: string; readonly delayMs: number }
  /** The attempt ended early, so it does not count. */
  | { readonly state: 'released' }
  | { readonly state: 'parked'; readonly reason: ParkedReason; readonly error: string | undefined }
  | { readonly state: 'unhandled' }
  | { readonly state: 'discarded' }
  | { readonly state: 'suppressed' }
  | { readonly state: 'erased' }

type ClaimRequest = PickRequest & { readonly claimMs: number }

/** Returns the condition that selects claimed entries. Entries that were claimed together have the same token. */
const toCondition = (claims: readonly EntryClaim[]): Statement => {
  const groups = Object.entries(Object.groupBy(claims, ({ token }) => token)).map(([token, group = []]) => [
    token,
    ...group.map(({ id }) => id),
  ])
  return {
    text: groups.map(([, ...ids]) => `(token = ? AND id IN (${toPlaceholders(ids)}))`).join(' OR '),
    values: groups.flat(),
  }
}

const readIds = ({ rows }: Outcome): Set<string> => new Set(rows.map((row) => String(readColumn(row, 'id'))))

/** Creates the functions that move entries from state to state. Each transition is one statement or one transaction. */
export const createEntries = ({ table, engine, retention, now }: InboxTable) => {
  const { dialect, run, query } = engine
  const { handledBodyMs, parkedBodyMs, keyMs } = retention

  /** Returns the statement that ends a claim, if this process still owns it. */
  const toEnd = ({ id, token }: EntryClaim, set: string, values: readonly InboxValue[] = []): Statement => ({
    text: `UPDATE ${table} SET ${set}, token = NULL WHERE id = ? AND token = ? RETURNING id`,
    values: [...values, id, token],
  })
  const toHandled = (claim: EntryClaim): Statement => {
    const forget = handledBodyMs === 0 ? ', body = NULL, headers = NULL' : ''
    const set = `state = 'handled', error = NULL, due_at = ${now()} + ?${forget}`
    return toEnd(claim, set, [handledBodyMs === 0 ? keyMs : handledBodyMs])
  }
  const runEnd = async ({ text, values }: Statement): Promise<boolean> => (await run(text, values)).count > 0
  /** Ends a claim. Returns whether it was still held. */
  const end = (...ending: Parameters<typeof toEnd>): Promise<boolean> => runEnd(toEnd(...ending))

  const { hide, toDue, toCandidates, toPostponed, toNext } = createPick({ table, engine, now })

  // SQLite knows the columns of a row that it returns only by the name without the schema.
  const name = toName(table)
  const hasFact = (condition: string) =>
    `EXISTS (SELECT 1 FROM ${table} f WHERE f.fact = ${name}.fact AND f.id <> ${name}.id AND ${condition})`
  // A parked entry does not suppress another one with the same fact, because the other one may be valid.
  // Entries with the same fact are in the same lane, and searching it costs less than maintaining an index of
  // all facts. Erased entries have no subject, so they are found by their fact alone, in an index of erased facts. MySQL has
  // no partial indexes, so its index has all facts.
  const claimed = `${claimedColumns}, CASE WHEN fact IS NULL THEN NULL WHEN ${hasFact(`f.state = 'erased'`)} THEN 'erased'
    WHEN ${hasFact(`f.subject = ${name}.subject AND f.state = ${hide(`'handled'`)}`)}
    OR ${hasFact(`f.subject = ${name}.subject AND f.state = ${hide(`'discarded'`)}`)} THEN 'suppressed' END AS known`

  const { read, readApart } = createClaimReader({ table, engine, columns: claimed })

  return {
    /** Checks whether an entry of the inbox is due. Claims do so themselves, but cost more. */
    isDue: (): Promise<boolean> => {
      // Every database reads the minimum from the index, even without statistics.
      const isDue = (state: string) =>
        `(SELECT min(due_at) FROM ${table} WHERE state = '${state}') <= ${now()}`
      return engine.isDue(`(${['stored', 'failed', 'claimed'].map(isDue).join(' OR ')})`)
    },

    /** Claims due entries, for their first attempt or for a retry. */
    claim: async ({ claimMs, ...wanted }: ClaimRequest): Promise<ClaimedEntry[]> => {
      const token = crypto.randomUUID()
      const claim = (columns = claimed): Promise<readonly unknown[]> => {
        return engine.claim({
          table,
          token,
          due: toDue(wanted.again),
          pick: toCandidates(wanted, inboxSyntaxes[dialect].lock),
          set: {
            text: `state = 'claimed', attempts = attempts + 1, due_at = ${now()} + ?,
            holds_until = COALESCE(holds_until, ${now()} + ${holdMs})`,
            values: [claimMs],
          },
          columns,
          next: toNext(),
        })
      }
      let rows: readonly unknown[]
      try {
        rows = await claim()
      } catch (error) {
        if (engine.isTransient(error)) throw error
        // Some databases have claimed the entries when reading them fails, others have not.
        const found = await readApart(token)
        if (found.length > 0) return found
        await claim('id')
        return readApart(token)
      }
      // Entries that their lanes block may hide others behind them.
      while (
        rows.length === 0 &&
        !wanted.again &&
        (await engine.postpone({ table, due: toDue(false), pick: toPostponed(wanted.limit) })) > 0
      )
        rows = await claim()
      return read(rows, token)
    },

    /** Extends claims, and returns the ids of the entries whose claims are still held. */
    renew: async (claims: readonly EntryClaim[], claimMs: number): Promise<Set<string>> => {
      const { text, values } = toCondition(claims)
      const select = `SELECT id FROM ${table} WHERE ${text}`
      const update = `UPDATE ${table} SET due_at = ${now()} + ?`
      if (dialect === 'postgresql') {
        // Skips rows that are being completed, because waiting for their locks would hold up this connection.
        const renew = `WITH mine AS (${select} FOR NO KEY UPDATE SKIP LOCKED),
          renewed AS (${update} WHERE id IN (SELECT id FROM mine)) ${select}`
        return readIds(await run(renew, [...values, claimMs, ...values]))
      }
      await run(`${update} WHERE ${text} RETURNING id`, [claimMs, ...values])
      return readIds(await run(select, values))
    },

    toHandled,

    /** Completes entries, and returns for each whether its claim was still held. */
    complete: async (claims: readonly EntryClaim[]): Promise<boolean[]> => {
      const [first] = claims
      if (first === undefined) return []
      if (claims.length === 1 || dialect === 'mysql') {
        const held: boolean[] = []
        for (const claim of claims) held.push(await runEnd(toHandled(claim)))
        return held
      }
      const { text, values } = toHandled(first)
      const condition = toCondition(claims)
      const statement = text.replace('id = ? AND token = ?', condition.text)
      const ids = readIds(await run(statement, [...values.slice(0, -2), ...condition.values]))
      return claims.map(({ id }) => ids.has(id))
    },

    end,

    /** Ends an attempt that did not succeed. Returns whether the claim was still held. */
    settle: async (claim: EntryClaim, settlement: Settlement): Promise<boolean> => {
      const dueAt = `due_at = ${now()} + ?`
      switch (settlement.state) {
        case 'released':
          return end(claim, `state = 'failed', attempts = attempts - 1, due_at = ${now()}`)
        case 'erased':
          return end(claim, `${erased}, ${dueAt}`, [keyMs])
        case 'discarded':
          return end(claim, `${discarded}, ${dueAt}`, [keyMs])
        case 'suppressed':
          return end(claim, `state = 'suppressed', ${dueAt}`, [parkedBodyMs])
        case 'unhandled':
          return end(claim, `state = 'unhandled', error = NULL, ${dueAt}`, [parkedBodyMs])
        case 'parked': {
          const { reason, error = null } = settlement
          return end(claim, `state = 'parked', reason = ?, error = ?, ${dueAt}`, [
            reason,
            error,
            parkedBodyMs,
          ])
        }
        case 'failed':
          return end(claim, `state = 'failed', error = ?, ${dueAt}`, [settlement.error, settlement.delayMs])
      }
      settlement satisfies never
    },

    /** Returns the number of open entries, and the earliest time at which one of them may be claimed. */
    readRemaining: async () => {
      const { rows } = await query(
        `SELECT count(*) AS remaining, min(CASE WHEN due_at > ${now()} THEN due_at END) AS later, ${now()} AS now
          FROM ${table} WHERE state IN (${openStates})`,
      )
      const [remaining, later, time] = ['remaining', 'later', 'now'].map((name) => readColumn(rows[0], name))
      const isDue = async (again: boolean) => {
        const { text, values } = toCandidates({ again, except: [], limit: 1 })
        return (await query(text, values)).count > 0
      }
      // An entry that is due but held up can be claimed when nothing in its lane holds it up any more.
      const next = later === null || (await isDue(false)) || (await isDue(true)) ? time : later
      return {
        remaining: Number(remaining),
        nextDueAt: Number(remaining) === 0 ? undefined : new Date(Number(next)),
      }
    },

    /** Counts the entries in the state `stored` that arrived more than `forMs` milliseconds ago. */
    readWaiting: async (forMs: number): Promise<number> => {
      const text = `SELECT count(*) AS waiting FROM ${table} WHERE state = 'stored' AND received_at < ${now()} - ?`
      return Number(readColumn((await query(text, [forMs])).rows[0], 'waiting'))
    },

    /** Deletes due bodies, and due rows without a body, at most `limit` of each. Returns the total. */
    forget: async (limit: number): Promise<number> => {
      // Repeated in each statement, because a retry may make an entry `stored` after it was selected.
      const due = `state IN ('handled', ${setAsideStates}, 'suppressed', 'discarded', 'unavailable', 'given_up', 'erased')
        AND due_at <= ${now()}`
      const select = async (body: string) => [
        ...readIds(await query(`SELECT id FROM ${table} WHERE ${due} AND body ${body} LIMIT ${limit}`)),
      ]
      const [ended, read] = [await select('IS NULL'), await select('IS NOT NULL')]
      if (ended.length > 0) {
        const text = `DELETE FROM ${table} WHERE ${due} AND body IS NULL AND id IN (${toPlaceholders(ended)}) RETURNING id`
        await query(text, ended)
      }
      if (read.length > 0) {
        const text = `UPDATE ${table} SET body = NULL, headers = NULL, due_at = ${now()} + ?
          WHERE ${due} AND id IN (${toPlaceholders(read)}) RETURNING id`
        await query(text, [keyMs, ...read])
      }
      return ended.length + read.length
    },
  }
}

export type Entries = ReturnType<typeof createEntries>
