import { Pool, type PoolClient } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { createMock } from 'wabakit/mock'
import {
  type CallAiSummaryEvent,
  createReceiver,
  type InboxContext,
  type Receiver,
  sqlInbox,
  unsigned,
} from 'wabakit/webhooks'

type Save = (event: CallAiSummaryEvent, context: InboxContext<PoolClient>) => Promise<unknown>

/** `npm run test:matrix` installs and names all of them. */
const names = process.env.ORMS?.split(',') ?? ['pg']

/** The methods that open or close the databases of the examples. */
type Database = Partial<Record<'initialize' | 'destroy' | '$disconnect', () => unknown>>

let url = process.env.DATABASE_URL ?? ''
if (url === '') {
  const { sharePostgres } = await import('../../packages/webhooks/test/postgres.ts')
  const postgres = await sharePostgres()
  afterAll(postgres.stop)
  url = postgres.connectionString
}

const summary = {
  event: 'CALL_AI_SUMMARY',
  channel: 'PSTN',
  callId: 'c1',
  callDirection: 'INCOMING',
  callStatus: 'END',
  durationInSeconds: 42,
  callStartedAt: '2026-01-01T10:00:00.000Z',
  callEndedAt: '2026-01-01T10:00:42.000Z',
  from: '+15550001111',
  to: '+15550002222',
  channelNumber: '+15550001111',
  customerNumber: '+15550002222',
  callType: 'AGENT',
  triggeredVia: 'INBOUND',
  summary: { recap: 'Wants a refund.', keyPoints: [], nextSteps: [] },
}

test.each(names)(
  '%s: what a handler has written is there once, although it fails after the write',
  async (name) => {
    const pool = new Pool({ connectionString: url })
    // `end` does not wait until the server has closed the last connections, and the server may stop first.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    const mock = await createMock()
    const attempts: number[] = []
    const { href } = new URL(`./${name}.ts`, import.meta.url)
    const { save, database }: { save: Save; database?: Database } = await import(/* @vite-ignore */ href)
    try {
      await pool.query(`DROP TABLE IF EXISTS summaries, handled_deliveries, wabakit_inbox;
      CREATE TABLE summaries (id serial PRIMARY KEY, call_id text NOT NULL, recap text NOT NULL);
      CREATE TABLE handled_deliveries (key text PRIMARY KEY)`)
      await database?.initialize?.()
      const receiver: Receiver<InboxContext<PoolClient>> = createReceiver({
        verify: unsigned(),
        inbox: sqlInbox(pool, { clock: mock.clock }),
      })
      receiver
        .onError(() => {})
        .on('CALL_AI_SUMMARY', async (event, context) => {
          await save(event, context)
          attempts.push(context.attempt.number)
          if (context.attempt.number === 1) throw new Error('after the write')
        })
      await receiver.accept(JSON.stringify(summary))
      await receiver.drain()
      await mock.clock.advance('1m')
      await receiver.drain()
      expect(attempts).toEqual([1, 2])
      const { rows } = await pool.query('SELECT call_id, recap FROM summaries')
      expect(rows).toEqual([{ call_id: 'c1', recap: 'Wants a refund.' }])
      await receiver.stop()
    } finally {
      await database?.destroy?.()
      await database?.$disconnect?.()
      await mock.close()
      await pool.end()
    }
  },
)
