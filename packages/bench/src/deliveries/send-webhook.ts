import { signWebhook } from '@wabakit/webhooks'
import { Agent } from 'undici'
import { connections, type Job, secret } from './job.ts'

// What a job is for the peers, whose users write it themselves: sign as Standard Webhooks have it, POST, and fail
// unless the endpoint takes it within 15 seconds.
const agent = new Agent({ connections })

/** Does a job; rejects when the queue shall try again. */
export const sendWebhook = async ({ id, url, body }: Job): Promise<number> => {
  const { headers } = await signWebhook({ payload: body, secret, id })
  const answer = await agent.request({
    origin: url,
    path: '/',
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(15_000),
  })
  await answer.body.dump()
  if (answer.statusCode >= 300) throw new Error(`answered ${answer.statusCode}`)
  return answer.statusCode
}
