import { setTimeout as sleep } from 'node:timers/promises'
import { payload } from '../call-ai-summary.ts'

export const waitUntilNone = async (count: () => Promise<number>): Promise<void> => {
  while ((await count()) > 0) await sleep(2)
}

/** Number of connections, and maximum number of concurrent webhooks. */
export const connections = 64

export const number = '+15550100001'

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** A delivery in the queue of a peer. */
export type Job = { readonly id: string; readonly url: string; readonly body: string }

export const createJobs = (url: string): ((body?: string) => Job) => {
  let events = 0
  return (body = payload) => {
    events += 1
    return { id: `evt_${events}`, url, body }
  }
}

/** A process's settings, passed as JSON in its first argument. */
export type ProcessSettings = {
  /** URL or path of the queue's database. */
  readonly database: string
  /** `api` stores events, `worker` delivers them, `all` does both. */
  readonly role: 'api' | 'worker' | 'all'
  readonly endpoint: string
  /** Number of subscriptions that take turns. Each belongs to one worker. */
  readonly subscriptions: number
}

export const readSettings = (): ProcessSettings => JSON.parse(process.argv[2] ?? '{}')
