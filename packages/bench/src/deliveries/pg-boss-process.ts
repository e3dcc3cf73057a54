import { PgBoss } from 'pg-boss'
import { serveCommands } from '../commands.ts'
import { runConcurrently } from '../run-concurrently.ts'
import { runPaced, stampPayload } from '../run-paced.ts'
import { connections, createJobs, type Job, readSettings, waitUntilNone } from './job.ts'
import { sendWebhook } from './send-webhook.ts'

// pg-boss, configured for throughput as its documentation recommends: several workers, each of which fetches and
// completes a batch with one statement, and continues immediately while batches are full. LISTEN/NOTIFY is off because
// it was several times slower here: notifying transactions commit one at a time, and each event wakes workers for a
// small batch.
const { database, role, endpoint } = readSettings()
const queue = 'deliver'
const boss = new PgBoss({ connectionString: database, max: 20 })
boss.on('error', console.error)
await boss.start()
await boss.createQueue(queue, { retryBackoff: true, retryLimit: 10 })
if (role === 'worker')
  await boss.work<Job>(
    queue,
    {
      batchSize: 64,
      localConcurrency: 4,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
    },
    (jobs) => Promise.all(jobs.map(({ data }) => sendWebhook(data))),
  )

const nextJob = createJobs(endpoint)

const countOpen = async (): Promise<number> => {
  const { rows } = await boss
    .getDb()
    .executeSql(`SELECT 1 FROM pgboss.job WHERE name = $1 AND state < 'completed' LIMIT 1`, [queue])
  return rows.length
}

serveCommands({
  store: (times) => runConcurrently({ times, concurrency: connections }, () => boss.send(queue, nextJob())),
  pace: (times) => runPaced(times, (at) => boss.send(queue, nextJob(stampPayload(at)))),
  fill: (times) =>
    boss.insert(
      queue,
      Array.from({ length: times }, () => ({ data: nextJob() })),
    ),
  settled: () => waitUntilNone(countOpen),
})
