import { readColumn } from '../dedupe/sql-database.ts'
import { WebhookUsageError } from '../errors.ts'
import type { InboxErasure } from '../receiver/inbox.ts'
import type { InboxEngine } from './engine.ts'
import { erased } from './entries.ts'
import { hashFact, hashText, toCallSubject, toGroupSubject } from './identify.ts'
import { readBytes } from './read-entry.ts'

/** Number of entries per query in the search for a phone number. */
const pageSize = 500

const toDigits = (text: string): string | undefined =>
  /^\+?[\d\s().-]+$/.test(text) ? text.replaceAll(/\D/g, '') : undefined

/** Checks whether a JSON value contains a phone number, compared by its digits. */
const mentions = (value: unknown, digits: string): boolean => {
  if (typeof value === 'string') return toDigits(value) === digits
  if (typeof value === 'number') return String(value) === digits
  return (
    typeof value === 'object' && value !== null && Object.values(value).some((each) => mentions(each, digits))
  )
}

const decoder = /* @__PURE__ */ new TextDecoder()

const bodyMentions = (body: Uint8Array, digits: string): boolean => {
  const text = decoder.decode(body)
  try {
    return mentions(JSON.parse(text), digits)
  } catch {
    return text.includes(digits)
  }
}

/** Options for {@link createErase}. */
type EraseOptions = {
  readonly table: string
  readonly keyMs: number
  /** Returns the SQL expression for the current Unix time in milliseconds. */
  readonly now: () => string
}

/** Creates the function that erases a call, a group or a phone number. */
export const createErase = (
  { query }: Pick<InboxEngine<unknown, unknown>, 'query'>,
  { table, keyMs, now }: EraseOptions,
) => {
  const eraseWhere = async (condition: string, value: string): Promise<number> => {
    const text = `UPDATE ${table} SET ${erased}, token = NULL, due_at = ${now()} + ${keyMs}
      WHERE state <> 'erased' AND ${condition} RETURNING id`
    return (await query({ text, values: [value] })).count
  }

  /** Stores the hash of a fact as erased, so that a summary that arrives later is erased, too. */
  const leaveFact = async (naturalKey: string): Promise<void> => {
    const fact = await hashFact(naturalKey)
    const text = `INSERT INTO ${table} (event_key, source, fact, state, due_at, received_at)
      VALUES (?, 'erased', ?, 'erased', ${now()} + ${keyMs}, ${now()})
      ON CONFLICT (event_key) DO NOTHING RETURNING id`
    await query({ text, values: [await hashText(`erased\n${naturalKey}`), fact] })
  }

  const eraseCall = async (callId: string): Promise<number> => {
    await leaveFact(`CALL_AI_SUMMARY:${callId}`)
    return eraseWhere('subject = ?', await toCallSubject(callId))
  }

  const eraseNumber = async (number: string): Promise<number> => {
    const digits = toDigits(number)
    if (!digits) throw new WebhookUsageError('erase() needs a number with digits.')
    let count = 0
    for (let after = '0'; ; ) {
      const text = `SELECT id, subject, body FROM ${table} WHERE id > ? AND body IS NOT NULL ORDER BY id LIMIT ${pageSize}`
      const { rows } = await query({ text, values: [after] })
      for (const row of rows) {
        after = String(readColumn(row, 'id'))
        const [body, subject] = [readBytes(row), readColumn(row, 'subject')]
        if (body === undefined || !bodyMentions(body, digits)) continue
        const callId =
          typeof subject === 'string' && subject.startsWith('call:') ? subject.slice(5) : undefined
        count += callId === undefined ? await eraseWhere('id = ?', after) : await eraseCall(callId)
      }
      if (rows.length < pageSize) return count
    }
  }

  return async (what: InboxErasure): Promise<number> => {
    if ('callId' in what) return eraseCall(what.callId)
    if ('groupId' in what) return eraseWhere('subject = ?', await toGroupSubject(what.groupId))
    return eraseNumber(what.number)
  }
}
