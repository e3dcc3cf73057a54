import type { PlantedBug } from './bug.ts'

const folder = 'server/src/stores/sqlite'

/** Bugs in the group commit of SQLite, and in what must follow its transactions. */
export const sqliteBugs: readonly PlantedBug[] = [
  {
    name: 'group commit: writes resolve before the commit',
    file: `${folder}/group-commit.ts`,
    find: `      commitAll()
      checkFiles()
      return resolvers`,
    replace: `      for (const resolveJob of resolvers) resolveJob()
      commitAll()
      return []`,
  },
  {
    name: 'group commit: leases survive a batch that is run again',
    file: `${folder}/group-commit.ts`,
    find: `      revert(undo, length)
`,
    replace: '',
  },
  {
    name: 'group commit: the first write of a failed batch is not run again',
    file: `${folder}/group-commit.ts`,
    find: 'batch.flatMap((job) => runJobs([job]))',
    replace: 'batch.slice(1).flatMap((job) => runJobs([job]))',
  },
  {
    name: 'group commit: a failed write is not rolled back',
    file: `${folder}/group-commit.ts`,
    find: `      rollbackToSavepoint.run()
`,
    replace: '',
  },
  {
    name: 'group commit: leases survive a rollback',
    file: `${folder}/group-commit.ts`,
    find: `    revert(undo)
  }`,
    replace: `    undo.length = 0
  }`,
  },
  {
    name: 'group commit: writes are lost while another program holds the lock',
    file: `${folder}/group-commit.ts`,
    find: 'urgent = [...batch, ...urgent]',
    replace: 'urgent = [...urgent]',
  },
  {
    name: 'group commit: the result of a failed attempt waits until another one is written',
    file: `${folder}/group-commit.ts`,
    find: 'patient.includes(job) && endPatience()',
    replace: 'false',
  },
  {
    name: 'group commit: a failed commit is reported as a success',
    file: `${folder}/group-commit.ts`,
    find: 'throw toCommitError(error, database.isTransaction)',
    replace: 'if (database.isTransaction) throw error',
  },
  {
    name: 'due times: a rollback loses what was taken',
    file: `${folder}/due-times.ts`,
    find: 'undo.push(() => put(subscription, -Infinity))',
    replace: 'undo.push(() => times.put({ subscription, dueAt: -Infinity }))',
  },
  {
    name: 'due times: what is added is not considered',
    file: `${folder}/due-times.ts`,
    find: `      putEarlier(times, time)
      putEarlier(upcoming, time)`,
    replace: '      putEarlier(times, time)',
  },
  {
    name: 'leases: a removal cannot be rolled back',
    file: `${folder}/leases.ts`,
    find: `      if (lease !== undefined) undo.push(() => put(lease))
`,
    replace: '',
  },
  {
    name: 'claims: a failed claim loses its subscriptions',
    file: `${folder}/claims.ts`,
    find: `      revert(undo)
      throw error`,
    replace: `      undo.length = 0
      throw error`,
  },
  {
    name: 'claims: slots are not counted',
    file: `${folder}/claims.ts`,
    find: `    queue.slots--
`,
    replace: '',
  },
  {
    name: 'claims: what is claimed is claimed again',
    file: `${folder}/pending.ts`,
    find: 'if (leases.find({ event: last.event, subscription }) === undefined) next.push(last)',
    replace: 'next.push(last)',
  },
  {
    name: 'settlements: the lane stands still',
    file: `${folder}/settlements.ts`,
    find: `if (!isDisabled && laneState !== 'holding')`,
    replace: `if (!isDisabled && laneState === 'passable')`,
  },
  {
    name: 'settlements: the lease remains',
    file: `${folder}/settlements.ts`,
    find: `    leases.remove(key)
    if (pace`,
    replace: '    if (pace',
  },
  {
    name: 'lanes: a failure lets others pass',
    file: `${folder}/settlements.ts`,
    find: `result.releasesLane ? 'passable' : laneState`,
    replace: `'passable'`,
  },
  {
    name: 'lanes: a lane is never taken',
    file: `${folder}/lanes.ts`,
    find: '} else if (findUnfinished.get(subscription, subject) !== undefined) {',
    replace: '} else if (seq < 0) {',
  },
  {
    name: 'revisions: a concurrent change is overwritten',
    file: `${folder}/revisions.ts`,
    find: 'and revision = ?`',
    replace: 'and (revision = ? or revision > 0)`',
  },
]
