import { setTimeout as sleep } from 'node:timers/promises'
import { payload } from '../call-ai-summary.ts'

/** Number of connections, and maximum number of concurrent webhooks. */
export const connections = 64

export const number = '+15550100001'

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** Number of events per second that `pace` stores. */
export const pace = 500

/** The settings of a process. Its first argument contains them as JSON. */
export type ProcessSettings = {
  /** The URL or the path of the database. */
  readonly database: string
  /** `api` stores events, `worker` delivers them, `all` does both. */
  readonly role: 'api' | 'worker' | 'all'
  readonly endpoint: string
  /** Number of subscriptions that receive the events in rotation. Each of them belongs to one worker. */
  readonly subscriptions: number
}

export const readSettings = (): ProcessSettings => JSON.parse(process.argv[2] ?? '{}')

/** Adds the intended time of publication to a webhook body. The endpoint computes the delay of the webhook from it. */
export const stampPayload = (at: number): string => `{"at":${at},${payload.slice(1)}`

export const waitUntilNone = async (count: () => Promise<number>): Promise<void> => {
  while ((await count()) > 0) await sleep(2)
}
