import { Logger, makeWorkerUtils, run as runWorker } from 'graphile-worker'
import type { Pool } from 'pg'
import type { PgBoss } from 'pg-boss'
import { concurrency, type Queue } from './queue.ts'

/**
 * Creates a queue of graphile-worker on a pool of ours. It would not wait for the end of a pool of its own, whose
 * connections would then report errors when the server stops.
 */
export const createGraphileWorker = async (pgPool: Pool): Promise<Queue> => {
  const logger = new Logger(() => () => {})
  const utils = await makeWorkerUtils({ pgPool, logger })
  await utils.migrate()
  return {
    store: (event) => utils.addJob('handle', event),
    handleAll: async (handled, count) => {
      let left = count
      const done = Promise.withResolvers<void>()
      if (Number.isNaN(count))
        return utils.withPgClient((client) => client.query('DELETE FROM graphile_worker._private_jobs'))
      const runner = await runWorker({
        taskList: {
          handle: async () => {
            handled()
            left -= 1
            if (left === 0) done.resolve()
          },
        },
        pgPool,
        logger,
        noHandleSignals: true,
        preset: {
          worker: {
            concurrentJobs: concurrency,
            localQueue: { size: 500 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
      })
      await done.promise
      await runner.stop()
    },
  }
}

export const createPgBoss = async (boss: PgBoss): Promise<Queue> => {
  await boss.createQueue('inbox', { retryBackoff: true, retryLimit: 10 })
  return {
    store: (event) => boss.send('inbox', event),
    handleAll: async (handled, count) => {
      if (Number.isNaN(count)) return boss.deleteAllJobs('inbox')
      let left = count
      const done = Promise.withResolvers<void>()
      await boss.work(
        'inbox',
        {
          batchSize: concurrency,
          localConcurrency: 4,
          burstWhenBatchFull: true,
          pollingIntervalSeconds: 0.5,
        },
        async (jobs) => {
          for (const _ of jobs) handled()
          left -= jobs.length
          if (left === 0) done.resolve()
        },
      )
      await done.promise
      await boss.offWork('inbox', { wait: true })
    },
  }
}
