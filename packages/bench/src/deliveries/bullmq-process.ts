import { serveCommands } from '../commands.ts'
import { inParallel } from '../in-parallel.ts'
import { loadBullMq } from './bullmq.ts'
import { connections, createJobs, type Job, settings } from './job.ts'
import { sendWebhook } from './send-webhook.ts'
import { untilNone } from './until-none.ts'

// bullmq with as many jobs at a time as there are connections. It keeps the last thousand jobs.
const { database, role, endpoint, concurrency } = settings()
const { Queue, Worker } = loadBullMq<Job>()
const name = 'deliver'
const { hostname, port } = new URL(database)
const connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null }
const queue = new Queue(name, { connection })
if (role === 'worker') {
  const options = { connection, concurrency, removeOnComplete: { count: 1_000 } }
  await new Worker(name, ({ data }) => sendWebhook(data), options).waitUntilReady()
}

const nextJob = createJobs(endpoint)
const opts = { attempts: 10, backoff: { type: 'exponential', delay: 1_000 } }

serveCommands({
  store: (times) => inParallel({ times, concurrency: connections }, () => queue.add(name, nextJob(), opts)),
  fill: (times) => queue.addBulk(Array.from({ length: times }, () => ({ name, data: nextJob(), opts }))),
  settled: () => untilNone(() => queue.getJobCountByTypes('wait', 'active', 'delayed')),
})
