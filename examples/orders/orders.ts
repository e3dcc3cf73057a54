import { type Client, isApiError, OutcomeUnknownError, SummaryUnavailableError } from 'wabakit'
import { createReceiver, type ReceiverOptions } from 'wabakit/webhooks'
import type { Database } from './database.ts'

export type Order = { readonly id: string; readonly title: string }

type OrdersOptions = {
  readonly database: Database
  readonly client: Client
  readonly wabaNumber: string
  readonly verify: ReceiverOptions['verify']
  /** The clock, for tests. */
  readonly now?: () => number
}

/** The group of an order has its id, so that a webhook leads back to the order. */
const toGroupId = (orderId: string): string => `order-${orderId}`

/** Takes orders, gives each a WhatsApp group, and keeps the summaries of calls. */
export const createOrders = ({ database, client, wabaNumber, verify, now = Date.now }: OrdersOptions) => {
  const created = "UPDATE orders SET state = 'created' WHERE id = $1"

  const receiver = createReceiver({ verify, inbox: database.inbox })
    .on('GROUP_CREATED', ({ groupId, inviteLink }, context) => {
      const link = "UPDATE orders SET state = 'created', invite_link = $2 WHERE 'order-' || id = $1"
      return database.write(context, link, groupId, inviteLink ?? null)
    })
    .on(
      ['CALL_INCOMING_INITIATED', 'CALL_OUTGOING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED'],
      ({ callId }, context) => {
        const note = `INSERT INTO calls (call_id, seen_at, summary) VALUES ($1, $2, 'missing')
          ON CONFLICT (call_id) DO UPDATE SET seen_at = excluded.seen_at`
        return database.write(context, note, callId, new Date(now()).toISOString())
      },
    )
    .on('CALL_AI_SUMMARY', ({ callId, customerNumber, summary }, context) => {
      const insert = 'INSERT INTO summaries (call_id, customer, recap) VALUES ($1, $2, $3)'
      return database.write(context, insert, callId, customerNumber, summary.recap)
    })

  /** Fetches a summary that never arrived, and lets the receiver handle it like the webhook: once, even if that comes, too. */
  const fetchSummary = async (callId: string): Promise<void> => {
    try {
      const record = await client.calls.getSummary(callId)
      const body = JSON.stringify({ ...record, event: 'CALL_AI_SUMMARY' })
      await receiver.accept(body, { source: 'fetched', id: callId })
    } catch (error) {
      // 422: never. 202 and 404: not yet, so ask again.
      if (error instanceof SummaryUnavailableError) {
        await database.query("UPDATE calls SET summary = 'unavailable' WHERE call_id = $1", callId)
      } else if (!isApiError(error)) throw error
    }
  }

  return {
    receiver,

    /** Asks about every call that has no summary, and of which nothing was heard for some time. */
    reconcile: async (olderThanMs: number): Promise<void> => {
      const missing = `SELECT call_id FROM calls WHERE summary = 'missing' AND seen_at <= $1
        AND call_id NOT IN (SELECT call_id FROM summaries)`
      const before = new Date(now() - olderThanMs).toISOString()
      for (const { call_id } of await database.query(missing, before)) await fetchSummary(String(call_id))
    },

    /** Stores an order, then creates its group. The order comes first, so that a crash leaves no group without one. */
    place: async ({ id, title }: Order): Promise<void> => {
      await database.query("INSERT INTO orders (id, title, state) VALUES ($1, $2, 'creating')", id, title)
      try {
        await client.groups.create({ wabaNumber, subject: title, groupId: toGroupId(id) })
        await database.query(created, id)
      } catch (error) {
        // The group may exist. If it does, its GROUP_CREATED settles the order.
        if (!(error instanceof OutcomeUnknownError)) throw error
      }
    },

    find: async (id: string) => (await database.query('SELECT * FROM orders WHERE id = $1', id))[0],

    listSummaries: () => database.query('SELECT * FROM summaries ORDER BY call_id'),
  }
}

export type Orders = ReturnType<typeof createOrders>
