import { createReceiver, sqlInbox, unsigned } from '@wabakit/webhooks'
import pg, { type PoolClient } from 'pg'

/** Input of the process: where the database is, what it receives, and at which statement it stops. */
export type InboxOrder = {
  readonly connectionString: string
  readonly id: string
  /** Counted from 1; the number after the last one is the response. */
  readonly stopAt: number
  /** Whether the process waits to be killed before that statement, or dies as soon as the statement is sent. */
  readonly mode: 'before' | 'sent'
}

/** Creates a receiver whose handler writes two rows. Every statement goes through `step`. */
export const createEffects = (pool: pg.Pool, step: (send: () => unknown) => unknown = (send) => send()) =>
  createReceiver({
    verify: unsigned(),
    dedupe: sqlInbox<PoolClient>({
      connect: async () => {
        const client = await pool.connect()
        return Object.assign(Object.create(client), {
          query: (...statement: Parameters<PoolClient['query']>) => step(() => client.query(...statement)),
        })
      },
    }),
  }).onUnknown(async (_, { delivery, transaction }) => {
    await transaction.query('INSERT INTO effects (id, part) VALUES ($1, 1)', [delivery.id])
    await transaction.query('INSERT INTO effects (id, part) VALUES ($1, 2)', [delivery.id])
  })

/** The delivery with this id. */
export const toRequest = (id: string): Request =>
  new Request('http://localhost', {
    method: 'POST',
    body: '{"event":"X"}',
    headers: { 'content-type': 'application/json', 'webhook-id': id },
  })

if (process.argv[2] !== undefined) {
  const { connectionString, id, stopAt, mode }: InboxOrder = JSON.parse(process.argv[2])
  const pool = new pg.Pool({ connectionString })
  let steps = 0
  const step = async (send: () => unknown): Promise<unknown> => {
    steps += 1
    if (steps !== stopAt) return send()
    if (mode === 'sent') {
      send()
      process.nextTick(() => process.kill(process.pid, 'SIGKILL'))
    } else console.log('stopped')
    setInterval(() => {}, 60_000)
    return new Promise(() => {})
  }
  const response = await createEffects(pool, step).handle(toRequest(id))
  await step(() => {})
  console.log(`${response.status} after ${steps} steps`)
  await pool.end()
}
