import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { installPeer } from '../install-peer.ts'
import { type Job, sendWebhook, servePeer } from './peer.ts'
import { connections, readSettings } from './settings.ts'

/** The part of bullmq that this file uses. Its types are missing, because it is not a dependency of this package. */
type BullMq = {
  readonly Queue: new (
    name: string,
    options: object,
  ) => {
    add(name: string, data: Job, options: object): Promise<unknown>
    addBulk(jobs: readonly { name: string; data: Job; opts: object }[]): Promise<unknown>
    getJobCountByTypes(...states: string[]): Promise<number>
  }
  readonly Worker: new (
    name: string,
    processor: (job: { readonly data: Job }) => Promise<unknown>,
    options: object,
  ) => { waitUntilReady(): Promise<unknown> }
}

// bullmq, with as many concurrent jobs as connections. It keeps the last 1,000 jobs.
const { database, role, endpoint } = readSettings()
const modules = installPeer('bullmq@6', 'ioredis@5')
const { Queue, Worker }: BullMq = createRequire(resolve(modules, 'bullmq'))('bullmq')
const name = 'deliver'
const { hostname, port } = new URL(database)
const connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null }
const queue = new Queue(name, { connection })
if (role === 'worker') {
  const options = { connection, concurrency: connections, removeOnComplete: { count: 1_000 } }
  await new Worker(name, ({ data }) => sendWebhook(data), options).waitUntilReady()
}

const opts = { attempts: 10, backoff: { type: 'exponential', delay: 1_000 } }
servePeer(endpoint, {
  add: (job) => queue.add(name, job, opts),
  addAll: (jobs) => queue.addBulk(jobs.map((data) => ({ name, data, opts }))),
  countOpen: () => queue.getJobCountByTypes('wait', 'active', 'delayed'),
})
