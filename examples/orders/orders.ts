import { type Client, OutcomeUnknownError } from 'wabakit'
import { createReceiver, type ReceiverOptions } from 'wabakit/webhooks'
import type { Database } from './database.ts'

export type Order = { readonly id: string; readonly title: string }

type OrdersOptions = {
  readonly database: Database
  readonly client: Client
  readonly wabaNumber: string
  readonly verify: ReceiverOptions['verify']
}

/** A group's id contains its order's id, so that a webhook leads back to the order. */
const toGroupId = (orderId: string): string => `order-${orderId}`

/** Takes orders, gives each a WhatsApp group, and keeps the summaries of calls. */
export const createOrders = ({ database, client, wabaNumber, verify }: OrdersOptions) => {
  const created = "UPDATE orders SET state = 'created' WHERE id = $1"

  const receiver = createReceiver({ verify, inbox: database.inbox })
    .on('GROUP_CREATED', ({ groupId, inviteLink }, context) => {
      const link = "UPDATE orders SET state = 'created', invite_link = $2 WHERE 'order-' || id = $1"
      return database.write(context, link, groupId, inviteLink ?? null)
    })
    .on('CALL_AI_SUMMARY', ({ callId, customerNumber, summary }, context) => {
      const insert = 'INSERT INTO summaries (call_id, customer, recap) VALUES ($1, $2, $3)'
      return database.write(context, insert, callId, customerNumber, summary.recap)
    })
    .on('CALL_NOT_PICKED', ({ callId }, context) => {
      // One event per agent who did not answer in time. A repeat cannot be told from another agent's, so this is a maximum.
      const count = `INSERT INTO rings (call_id, unanswered) VALUES ($1, 1)
        ON CONFLICT (call_id) DO UPDATE SET unanswered = rings.unanswered + 1`
      return database.write(context, count, callId)
    })

  return {
    receiver,

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

    listRings: () => database.query('SELECT * FROM rings ORDER BY call_id'),
  }
}

export type Orders = ReturnType<typeof createOrders>
