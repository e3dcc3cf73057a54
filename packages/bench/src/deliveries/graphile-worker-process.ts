import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { serveCommands } from '../commands.ts'
import { runConcurrently } from '../run-concurrently.ts'
import { runPaced, stampPayload } from '../run-paced.ts'
import { connections, createJobs, type Job, readSettings, waitUntilNone } from './job.ts'
import { sendWebhook } from './send-webhook.ts'

// graphile-worker, configured as its performance page recommends, with as many concurrent jobs as connections. The
// delay between fetches halves its CPU time while jobs are being added.
const { database, role, endpoint } = readSettings()
const logger = new Logger(() => (level, message) => {
  if (level === 'error' || level === 'warning') console.error(message)
})
const utils = await makeWorkerUtils({ connectionString: database, maxPoolSize: 20, logger })
await utils.migrate()
if (role === 'worker')
  await run({
    taskList: { deliver: (job) => sendWebhook(job as Job).then(() => undefined) },
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

const nextJob = createJobs(endpoint)

const countOpen = async (): Promise<number> =>
  utils.withPgClient(async (client) => {
    const { rows } = await client.query('SELECT 1 FROM graphile_worker._private_jobs LIMIT 1')
    return rows.length
  })

serveCommands({
  store: (times) =>
    runConcurrently({ times, concurrency: connections }, () => utils.addJob('deliver', nextJob())),
  pace: (times) => runPaced(times, (at) => utils.addJob('deliver', nextJob(stampPayload(at)))),
  fill: (times) =>
    utils.addJobs(Array.from({ length: times }, () => ({ identifier: 'deliver', payload: nextJob() }))),
  settled: () => waitUntilNone(countOpen),
})
