import { createClient } from 'wabakit'
import { standardWebhooks, urlToken } from 'wabakit/webhooks'
import { stopServer } from 'wabakit/webhooks/node'
import { openDatabase } from './database.ts'
import { createHttpServer } from './http.ts'
import { createOrders } from './orders.ts'

const { DATABASE = 'orders.db', PORT = '3000', WABA_NUMBER = '' } = process.env
const { RECONCILE_AFTER_MS = '600000', RECONCILE_INTERVAL_MS = '1000' } = process.env

// A live service gets a URL with a token; wabakit's server signs. During a rotation, both values are valid. Without any, the
// process does not start.
const { WEBHOOK_TOKEN, WEBHOOK_TOKEN_PREVIOUS } = process.env
const { WABAKIT_WEBHOOK_SECRET, WABAKIT_WEBHOOK_SECRET_PREVIOUS } = process.env
const select = (...values: readonly (string | undefined)[]) => values.filter((value) => value !== undefined)

const database = await openDatabase(DATABASE)
const client = createClient() // WABAKIT_BASE_URL and WABAKIT_API_KEY
const verify = WEBHOOK_TOKEN
  ? urlToken({ token: select(WEBHOOK_TOKEN, WEBHOOK_TOKEN_PREVIOUS) })
  : standardWebhooks({ secrets: select(WABAKIT_WEBHOOK_SECRET, WABAKIT_WEBHOOK_SECRET_PREVIOUS) })
const orders = createOrders({ database, client, wabaNumber: WABA_NUMBER, verify })
const server = createHttpServer(orders)

orders.receiver.start()
server.listen(Number(PORT), () => console.log(`listening on ${PORT}`))

// Requests summaries that never arrived. Each round starts after the previous one has ended, so that two never run at
// once.
const stopping = new AbortController()
const { signal } = stopping
const [olderThanMs, intervalMs] = [Number(RECONCILE_AFTER_MS), Number(RECONCILE_INTERVAL_MS)]
const reconcile = async (): Promise<void> => {
  try {
    await orders.receiver.reconcile(client, { olderThanMs, intervalMs, signal })
  } catch (error) {
    if (!signal.aborted) console.error('Requesting missing summaries failed.', error)
  }
  if (!signal.aborted) setTimeout(reconcile, Math.min(olderThanMs, 60_000)).unref()
}
void reconcile()

process.once('SIGTERM', async () => {
  stopping.abort()
  // Connections first, then the receiver, then the database.
  await stopServer(server, { receiver: orders.receiver, maxMs: 8_000 })
  await database.close()
})
