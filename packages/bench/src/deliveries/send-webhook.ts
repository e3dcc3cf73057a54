import { signWebhook } from '@wabakit/webhooks'
import { Agent } from 'undici'
import { connections, type Job, secret } from './job.ts'

// The peers' job handler, as their users would write it: it signs with Standard Webhooks and POSTs. It fails unless the
// endpoint accepts the webhook within 15 seconds.
const agent = new Agent({ connections })

/** Sends a webhook. Rejects if the queue should retry. */
export const sendWebhook = async ({ id, url, body }: Job): Promise<number> => {
  const { headers } = await signWebhook({ payload: body, secret, id })
  const response = await agent.request({
    origin: url,
    path: '/',
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(15_000),
  })
  await response.body.dump()
  if (response.statusCode >= 300) throw new Error(`The endpoint responded with ${response.statusCode}.`)
  return response.statusCode
}
