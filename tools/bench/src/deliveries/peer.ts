import { signWebhook } from '@wabakit/webhooks'
import { Agent } from 'undici'
import { payload } from '../call-ai-summary.ts'
import { serveCommands } from '../commands.ts'
import { runConcurrently, runPaced } from '../run-tasks.ts'
import { connections, pace, secret, stampPayload, waitUntilNone } from './settings.ts'

export type Job = { readonly id: string; readonly url: string; readonly body: string }

export type PeerQueue = {
  add(job: Job): Promise<unknown>
  addAll(jobs: readonly Job[]): Promise<unknown>
  /** Counts the unfinished jobs. May stop counting at 1. */
  countOpen(): Promise<number>
}

/** Serves the commands of a peer's producer. `store` and `pace` add one job at a time, `fill` adds all jobs at once. */
export const servePeer = (url: string, { add, addAll, countOpen }: PeerQueue): void => {
  let events = 0
  const nextJob = (body = payload): Job => {
    events += 1
    return { id: `evt_${events}`, url, body }
  }
  serveCommands({
    store: (times) => runConcurrently({ times, concurrency: connections }, () => add(nextJob())),
    pace: (times) => runPaced({ times, perSecond: pace }, (at) => add(nextJob(stampPayload(at)))),
    fill: (times) => addAll(Array.from({ length: times }, () => nextJob())),
    settled: () => waitUntilNone(countOpen),
  })
}

const agent = new Agent({ connections })

/**
 * Signs and sends a webhook, as a typical application does. Rejects unless the endpoint accepts the webhook within 15
 * seconds, so that the queue retries.
 */
export const sendWebhook = async ({ id, url, body }: Job): Promise<void> => {
  const { headers } = await signWebhook({ payload: body, secret, id })
  const options = { method: 'POST', headers, body, signal: AbortSignal.timeout(15_000) } as const
  const response = await agent.request({ origin: url, path: '/', ...options })
  await response.body.dump()
  if (response.statusCode >= 300) throw new Error(`The endpoint responded with ${response.statusCode}.`)
}
