import { readDigits } from '@wabakit/wire'
import { hashText, toSubject, toSummaryFact } from '../identity/identity.ts'
import type { RawPayload } from '../parse/parse-event.ts'
import type { InboxErasure } from '../receiver/inbox-entries.ts'
import { readColumn } from '../sql/sql-database.ts'
import { refuse } from './engine.ts'
import { type Mention, toIdMention, toNumberMention } from './mentions.ts'
import { readBytes, readText } from './read-entry.ts'
import { readRows, reportUnreadable } from './read-rows.ts'
import { hashFact, parseRow } from './stored-event.ts'
import type { InboxTable } from './table.ts'

/** Columns other than the body that are searched for the id or the number to erase. */
const texts = ['subject', 'name', 'delivery_id', 'error']

/** Reads the id of the call that a row is about. Its subject may contain only a hash of the id. */
const readCallId = (row: unknown): string | undefined => {
  const subject = readText(row, 'subject')
  if (!subject?.startsWith('call:')) return undefined
  const parsed = parseRow(row, Number.POSITIVE_INFINITY)
  const { callId }: RawPayload = (parsed?.kind === 'event' ? parsed.event : parsed?.raw) ?? {}
  return typeof callId === 'string' && callId !== '' ? callId : subject.slice(5)
}

/** Erases the entries that meet a condition. Returns their number. */
type EraseWhere = (condition: string, ...values: string[]) => Promise<number>

/** No entry has this id. */
const none = '0'

export const createErasure =
  (place: InboxTable, eraseWhere: EraseWhere) =>
  async (what: InboxErasure): Promise<number> => {
    const { table, engine, retention, now } = place
    const unreadable = new Map<string, unknown>()

    async function* findMentions(mention: Mention) {
      const rows = { columns: [...texts, 'body'].join(', '), condition: `state <> 'erased'`, unreadable }
      for await (const row of readRows(place, rows)) {
        const body = readBytes(row)
        const isMentioned = texts.some((column) => mention.isIn(readText(row, column) ?? ''))
        if (isMentioned || (body !== undefined && mention.isInBody(body))) yield row
      }
    }
    const readId = (row: unknown): string => String(readColumn(row, 'id'))
    const eraseRow = (row: unknown): Promise<number> => eraseWhere('id = ?', readId(row))

    const eraseSubject = async (kind: 'call' | 'group', id: string, except = none): Promise<number> => {
      let count = await eraseWhere('subject = ? AND id <> ?', await toSubject(kind, id), except)
      for await (const row of findMentions(toIdMention(id)))
        if (readId(row) !== except) count += await eraseRow(row)
      return count
    }

    const eraseCall = async (callId: string, except?: string): Promise<number> => {
      // Stores the hash of the fact as erased, so that a summary that arrives within `keyMs` is erased, too.
      const fact = toSummaryFact(callId)
      const dueAt = `${now()} + ${retention.keyMs}`
      const text = `INSERT INTO ${table} (event_key, source, fact, state, due_at, received_at)
      VALUES (?, 'erased', ?, 'erased', ${dueAt}, ${now()})
      ON CONFLICT (event_key) DO UPDATE SET due_at = ${dueAt} RETURNING id`
      await engine.query(text, [await hashText(`erased\n${fact}`), await hashFact(fact)])
      return eraseSubject('call', callId, except)
    }

    const eraseNumber = async (number: string): Promise<number> => {
      const digits = readDigits(number)
      if (digits === '') return refuse('erase() needs a number with digits.')
      let count = 0
      const calls = new Set<string>()
      for await (const row of findMentions(toNumberMention(digits))) {
        const callId = readCallId(row)
        // The entry with the number goes last: after an interruption, only it leads to the others of its call.
        if (callId !== undefined && !calls.has(callId)) count += await eraseCall(callId, readId(row))
        if (callId !== undefined) calls.add(callId)
        count += await eraseRow(row)
      }
      return count
    }

    const erase = (): Promise<number> => {
      if ('callId' in what) return eraseCall(what.callId)
      if ('groupId' in what) return eraseSubject('group', what.groupId)
      return eraseNumber(what.number)
    }
    const count = await erase()
    reportUnreadable(table, unreadable)
    return count
  }
