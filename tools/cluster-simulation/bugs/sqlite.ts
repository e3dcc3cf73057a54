import type { Plan } from '../src/plan.ts'
import { hasSecondThoughts, type PlantedBug } from './bug.ts'

const folder = 'server/src/stores/sqlite'
const commits = `${folder}/write-batches.ts`
const deliveryQueue = `${folder}/delivery-queue.ts`
const lanes = `${folder}/lanes.ts`
const queueChanges = `${folder}/queue-changes.ts`

/** Returns whether a CALL_ENDED delivery may fail until it no longer blocks the summary that waits behind it. */
const failsOften = ({ rates, operations }: Plan): boolean => {
  const { refuses = 0, hangs = 0, 500: failed = 0, 503: unavailable = 0 } = rates?.endpoint ?? {}
  return (
    refuses + hangs + failed + unavailable > 0.3 &&
    operations.some((each) => each.do === 'make a call' && each.steps.includes('summarize'))
  )
}

/**
 * Returns whether a user changes a subscription while others cause events, so that both are written in one transaction, and
 * writes and commits fail.
 */
const changesBesideEvents = ({ rates, operations }: Plan): boolean => {
  const { 'write fails': write = 0, 'disk full': full = 0, ...commit } = rates?.transaction ?? {}
  const failing = (commit['commit refused'] ?? 0) + (commit['commit lost'] ?? 0) + write + full
  return (
    failing > 0.1 &&
    operations.some(
      (changing) =>
        changing.do === 'change a subscription' &&
        changing.change !== 'enable' &&
        operations.some(
          (each) =>
            (each.do === 'make a call' || each.do === 'create a group') &&
            Math.abs(each.at - changing.at) <= 20,
        ),
    )
  )
}

/** Bugs in the SQLite store. */
export const sqliteBugs: readonly PlantedBug[] = [
  {
    name: 'health on SQLite: reports to operators are not stored',
    file: deliveryQueue,
    find: 'updateHealth.run(failingSince, Number(isReported),',
    replace: 'updateHealth.run(failingSince, 0,',
  },
  {
    name: 'write batches: writes resolve before the commit',
    file: commits,
    find: `      commitAll()
      checkFiles()
      return resolvers`,
    replace: `      for (const resolveJob of resolvers) resolveJob()
      commitAll()
      return []`,
  },
  {
    name: 'write batches: the first write of a failed batch is not retried',
    file: commits,
    find: 'batch.flatMap((job) => runJobs([job]))',
    replace: 'batch.slice(1).flatMap((job) => runJobs([job]))',
  },
  {
    name: 'write batches: a failed write is not rolled back',
    file: commits,
    find: `      rollbackToSavepoint.run()
`,
    replace: '',
  },
  {
    name: 'write batches: writes are lost while another program holds the lock',
    file: commits,
    find: 'pending = [...batch, ...pending]',
    replace: 'pending = [...pending]',
  },
  {
    name: 'write batches: a failed commit is reported as a success',
    file: commits,
    find: 'throw toCommitError(error, database.isTransaction)',
    replace: 'if (database.isTransaction) throw error',
  },
  {
    name: 'memory: rows read in a transaction are kept after its rollback',
    file: `${folder}/remembered-tables.ts`,
    find: `      effects.push({ afterRollback: forget })
`,
    replace: '',
    needs: changesBesideEvents,
  },
  {
    name: 'queue changes: heads are not reported',
    file: queueChanges,
    find: `if (state !== undefined && head !== undefined) channel.emit`,
    replace: `if (state !== undefined && head === undefined) channel.emit`,
  },
  {
    name: 'queue changes: manual changes are not reported',
    file: queueChanges,
    find: `if (state !== undefined) channel.emit({ kind: 'changed', state })`,
    replace: `markChanged(subscription)`,
  },
  {
    name: 'delivery queue on SQLite: a settlement does not check the version',
    file: deliveryQueue,
    find: `and version = ? and (finishedAt`,
    replace: `and version >= 0 * ? and (finishedAt`,
    needs: hasSecondThoughts,
  },
  {
    name: 'delivery queue on SQLite: the next head of a lane is not returned',
    file: deliveryQueue,
    find: 'next: head ?? null',
    replace: 'next: null',
  },
  {
    name: 'delivery queue on SQLite: every fresh delivery is a head',
    file: deliveryQueue,
    find: '(row.isHead === 1 ? toPending(subscription, row) : [])',
    replace: '(toPending(subscription, row))',
  },
  {
    name: 'delivery queue on SQLite: the first page of heads is treated as the last',
    file: deliveryQueue,
    find: 'isEnd: rows.length < limit',
    replace: 'isEnd: limit > 0',
  },
  {
    name: 'delivery queue on SQLite: the cursor skips a head',
    file: deliveryQueue,
    find: 'after: Number(rows.at(-1)?.event ?? after)',
    replace: 'after: Number(rows.at(-1)?.event ?? after) + 1',
  },
  {
    name: 'delivery queue on SQLite: the last retry of a page is skipped',
    file: deliveryQueue,
    find: 'rows.slice(0, limit).map',
    replace: 'rows.slice(0, Math.max(1, limit - 1)).map',
  },
  {
    name: 'lanes on SQLite: a head overtakes a delivery that failed once',
    file: lanes,
    find: `b.state = 'started' and`,
    replace: `b.state = 'delivered' and`,
  },
  {
    name: 'lanes on SQLite: a head overtakes the delivery it waits for',
    file: lanes,
    find: `b.state = 'passable' and`,
    replace: `b.state = 'delivered' and`,
    needs: failsOften,
  },
  {
    name: 'resend on SQLite: the version does not change',
    file: `${folder}/delivery-changes.ts`,
    find: `state = 'fresh', version = version + 1,`,
    replace: `state = 'fresh',`,
    needs: hasSecondThoughts,
  },
  {
    name: 'revisions: a concurrent change is overwritten',
    file: `${folder}/revisions.ts`,
    find: 'and revision = ?`',
    replace: 'and (revision = ? or revision > 0)`',
  },
]
