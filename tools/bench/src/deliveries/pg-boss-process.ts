import { PgBoss } from 'pg-boss'
import { type Job, sendWebhook, servePeer } from './peer.ts'
import { readSettings } from './settings.ts'

// pg-boss, configured for throughput as its documentation recommends. Several workers fetch and complete batches with
// one statement, and continue immediately while batches are full. LISTEN/NOTIFY is off, because it made pg-boss several
// times slower: transactions that notify commit one at a time, and each event wakes workers for a small batch.
const { database, role, endpoint } = readSettings()
const queue = 'deliver'
const boss = new PgBoss({ connectionString: database, max: 20 })
boss.on('error', console.error)
await boss.start()
await boss.createQueue(queue, { retryBackoff: true, retryLimit: 10 })
if (role === 'worker') {
  const batches = {
    batchSize: 64,
    localConcurrency: 4,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
  }
  await boss.work<Job>(queue, batches, (jobs) => Promise.all(jobs.map(({ data }) => sendWebhook(data))))
}

const select = `SELECT 1 FROM pgboss.job WHERE name = $1 AND state < 'completed' LIMIT 1`
servePeer(endpoint, {
  add: (job) => boss.send(queue, job),
  addAll: (jobs) =>
    boss.insert(
      queue,
      jobs.map((data) => ({ data })),
    ),
  countOpen: async () => (await boss.getDb().executeSql(select, [queue])).rows.length,
})
