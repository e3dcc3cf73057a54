import { Pool } from 'pg'
import { createReceiver, sqlInbox, urlToken } from 'wabakit/webhooks'
import { type LambdaEvent, toLambdaHandler } from 'wabakit/webhooks/lambda'

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 3 })
// While an instance is frozen, the database may close its idle connections. Without a listener, that would end the process.
pool.on('error', (error) => console.warn('idle connection', error.message))

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  inbox: sqlInbox(pool),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))
const receive = toLambdaHandler(receiver)

export const handler = async (event: LambdaEvent) => {
  const response = await receive(event)
  // An instance is frozen after its response, so it handles events before. What is stored is safe, even if this fails.
  await receiver.drain({ maxMs: 3_000 }).catch((error) => console.error('drain failed', error))
  return response
}

/** The handler of a second function, on a schedule: handles what has failed or was left. */
export const handleStored = () => receiver.drain({ maxMs: 30_000 })
