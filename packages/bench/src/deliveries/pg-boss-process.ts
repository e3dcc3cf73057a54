import { PgBoss } from 'pg-boss'
import { serveCommands } from '../commands.ts'
import { inParallel } from '../in-parallel.ts'
import { connections, createJobs, type Job, settings } from './job.ts'
import { sendWebhook } from './send-webhook.ts'
import { untilNone } from './until-none.ts'

// pg-boss as its documentation says for throughput: several workers, each of which fetches and completes a batch with one
// statement, and goes on at once while batches are full. Without LISTEN/NOTIFY, which made it several times slower here:
// a transaction that notifies commits alone, and each event wakes workers for a small batch.
const { database, role, endpoint } = settings()
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

const open = async (): Promise<number> => {
  const { rows } = await boss
    .getDb()
    .executeSql(`SELECT 1 FROM pgboss.job WHERE name = $1 AND state < 'completed' LIMIT 1`, [queue])
  return rows.length
}

serveCommands({
  store: (times) => inParallel({ times, concurrency: connections }, () => boss.send(queue, nextJob())),
  fill: (times) =>
    boss.insert(
      queue,
      Array.from({ length: times }, () => ({ data: nextJob() })),
    ),
  settled: () => untilNone(open),
})
