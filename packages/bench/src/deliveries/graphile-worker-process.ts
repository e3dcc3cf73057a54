import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { Pool } from 'pg'
import { payload } from '../call-ai-summary.ts'
import { serveCommands } from '../commands.ts'
import { inParallel } from '../in-parallel.ts'
import { connections, type Job, settings } from './job.ts'
import { sendWebhook } from './send-webhook.ts'
import { untilNone } from './until-none.ts'

// graphile-worker as its page on performance sets it up, with as many jobs at a time as there are connections.
const { database, role, endpoint, concurrency } = settings()
const logger = new Logger(() => (level, message) => {
  if (level === 'error' || level === 'warning') console.error(message)
})
const pgPool = new Pool({ connectionString: database, max: 20 })
const utils = await makeWorkerUtils({ pgPool, logger })
await utils.migrate()
if (role === 'worker')
  await run({
    taskList: { deliver: (job) => sendWebhook(job as Job).then(() => undefined) },
    logger,
    preset: {
      worker: {
        connectionString: database,
        concurrentJobs: concurrency,
        maxPoolSize: 25,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  })

let calls = 0
const store = () => {
  calls += 1
  const job: Job = { id: `evt_${calls}`, url: endpoint, body: payload }
  return utils.addJob('deliver', job)
}

const open = async (): Promise<number> => {
  const { rows } = await pgPool.query('SELECT 1 FROM graphile_worker._private_jobs LIMIT 1')
  return rows.length
}

serveCommands({
  store: (times) => inParallel({ times, concurrency: connections }, store),
  settled: () => untilNone(open),
})
