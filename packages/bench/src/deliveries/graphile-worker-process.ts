import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { serveCommands } from '../commands.ts'
import { inParallel } from '../in-parallel.ts'
import { connections, createJobs, type Job, settings } from './job.ts'
import { sendWebhook } from './send-webhook.ts'
import { untilNone } from './until-none.ts'

// graphile-worker as its page on performance sets it up, with as many jobs at a time as there are connections. The delay
// between fetches halved what it uses of the CPU while jobs come in.
const { database, role, endpoint, concurrency } = settings()
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
        concurrentJobs: concurrency,
        maxPoolSize: concurrency + 1,
        localQueue: { size: 500, refetchDelay: { durationMs: 50, threshold: 100 } },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  })

const nextJob = createJobs(endpoint)

const open = async (): Promise<number> =>
  utils.withPgClient(async (client) => {
    const { rows } = await client.query('SELECT 1 FROM graphile_worker._private_jobs LIMIT 1')
    return rows.length
  })

serveCommands({
  store: (times) => inParallel({ times, concurrency: connections }, () => utils.addJob('deliver', nextJob())),
  fill: (times) =>
    utils.addJobs(Array.from({ length: times }, () => ({ identifier: 'deliver', payload: nextJob() }))),
  settled: () => untilNone(open),
})
