import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { type Job, sendWebhook, servePeer } from './peer.ts'
import { connections, readSettings } from './settings.ts'

// graphile-worker, configured as its performance page recommends, with as many concurrent jobs as connections. The
// delay between fetches halves its CPU time while jobs are added.
const { database, role, endpoint } = readSettings()
const logger = new Logger(() => (level, message) => {
  if (level === 'error' || level === 'warning') console.error(message)
})
const utils = await makeWorkerUtils({ connectionString: database, maxPoolSize: 20, logger })
await utils.migrate()
if (role === 'worker')
  await run({
    taskList: { deliver: (job) => sendWebhook(job as Job) },
    logger,
    preset: {
      worker: {
        connectionString: database,
        concurrentJobs: connections,
        maxPoolSize: connections + 1,
        localQueue: { size: 500, refetchDelay: { durationMs: 50, threshold: 100 } },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  })

servePeer(endpoint, {
  add: (job) => utils.addJob('deliver', job),
  addAll: (jobs) => utils.addJobs(jobs.map((payload) => ({ identifier: 'deliver', payload }))),
  countOpen: () =>
    utils.withPgClient(async (client) => {
      const { rows } = await client.query('SELECT 1 FROM graphile_worker._private_jobs LIMIT 1')
      return rows.length
    }),
})
