import { payload } from '../call-ai-summary.ts'

/** How many webhooks are on their way at the same time, and over how many connections. */
export const connections = 64

/** The number whose events are delivered. */
export const number = '+15550100001'

/** The secret that peers sign with. */
export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** What a peer keeps in its queue of a delivery. */
export type Job = { readonly id: string; readonly url: string; readonly body: string }

/** Makes jobs for an endpoint, each of an event of its own. */
export const createJobs = (url: string): (() => Job) => {
  let events = 0
  return () => {
    events += 1
    return { id: `evt_${events}`, url, body: payload }
  }
}

/** Settings of a process that takes part; JSON in its first argument. */
export type ProcessSettings = {
  /** Where the queue is kept. */
  readonly database: string
  /** Stores events, delivers them, or both. */
  readonly role: 'api' | 'worker' | 'all'
  /** Where webhooks go. */
  readonly endpoint: string
  /** Most webhooks on their way at the same time. */
  readonly concurrency: number
}

/** The settings of this process. */
export const settings = (): ProcessSettings => JSON.parse(process.argv[2] ?? '{}')
