import { serveCommands } from '../commands.ts'
import { runConcurrently } from '../run-concurrently.ts'
import { loadBullMq } from './bullmq.ts'
import { connections, createJobs, type Job, readSettings, waitUntilNone } from './job.ts'
import { sendWebhook } from './send-webhook.ts'

// Runs bullmq with as many concurrent jobs as connections. It keeps the last thousand jobs.
const { database, role, endpoint } = readSettings()
const { Queue, Worker } = loadBullMq<Job>()
const name = 'deliver'
const { hostname, port } = new URL(database)
const connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null }
const queue = new Queue(name, { connection })
if (role === 'worker') {
  const options = { connection, concurrency: connections, removeOnComplete: { count: 1_000 } }
  await new Worker(name, ({ data }) => sendWebhook(data), options).waitUntilReady()
}

const nextJob = createJobs(endpoint)
const opts = { attempts: 10, backoff: { type: 'exponential', delay: 1_000 } }

serveCommands({
  store: (times) =>
    runConcurrently({ times, concurrency: connections }, () => queue.add(name, nextJob(), opts)),
  fill: (times) => queue.addBulk(Array.from({ length: times }, () => ({ name, data: nextJob(), opts }))),
  settled: () => waitUntilNone(() => queue.getJobCountByTypes('wait', 'active', 'delayed')),
})
