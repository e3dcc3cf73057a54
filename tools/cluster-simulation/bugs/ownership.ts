import type { Plan } from '../src/plan.ts'
import type { PlantedBug } from './bug.ts'

const ownership = 'core/src/delivery/ownership.ts'
const dispatcher = 'core/src/delivery/dispatcher.ts'
const writer = 'core/src/delivery/settlement-writer.ts'
const workers = 'core/src/storage/workers.ts'
const deliveries = 'core/src/delivery/under-way.ts'

/** Returns whether workers lose their sessions while shards move between them. */
const losesWorkers = ({ servers, faults }: Plan): boolean =>
  servers.every(({ delivers }) => delivers) &&
  servers.length === 3 &&
  faults.some(({ fault }) => fault === 'end the session')

/** Bugs in the ownership of shards, and in the writing of settlements. */
export const ownershipBugs: readonly PlantedBug[] = [
  {
    name: 'ownership: the lease starts at the response',
    file: ownership,
    find: `    leaseEnd = sentAt + leaseMs * ownShare
`,
    replace: `    leaseEnd = clock.now() + leaseMs * ownShare
`,
  },
  {
    name: 'ownership: a worker trusts its lease for too long',
    file: ownership,
    find: `const ownShare = 0.75`,
    replace: `const ownShare = 3`,
  },
  {
    name: 'ownership: attempts continue after the lease ends',
    file: ownership,
    find: `    if (owned.size > 0) lose()
    return false`,
    replace: `    return false`,
  },
  {
    name: 'ownership: attempts continue after the worker is lost',
    file: dispatcher,
    find: `          ownership.lose()
`,
    replace: ``,
  },
  {
    name: 'ownership: a renewal outlives the loss of the worker',
    file: ownership,
    find: `    if (losses > lossesBefore) return renew()
`,
    replace: `    if (losses < lossesBefore) return renew()
`,
    needs: (plan) => losesWorkers(plan) && (plan.slowMs ?? 0) >= 300,
  },
  {
    name: 'ownership: attempts in a departing shard outlive the worker',
    file: ownership,
    find: `    const left = scheduler.leave(shard, 0)
    // A shard that is being given up leaves the set when its attempts have ended.
    if (leaving.has(shard)) return
`,
    replace: `    if (leaving.has(shard)) return
    const left = scheduler.leave(shard, 0)
`,
    needs: losesWorkers,
  },
  {
    name: 'ownership: shards of dead workers are not taken',
    file: ownership,
    find: `(owner === null || owner === worker)`,
    replace: `owner === worker`,
  },
  {
    name: 'ownership: one worker takes all shards from the others',
    file: workers,
    find: `      const free = find(names).filter(
        ({ owner }) => owner === null || owner === worker || !isAlive(owner, now),
      )
`,
    replace: `      const free = shards.filter(({ shard }) => names.some((each) => each.shard === shard && now > 0))
`,
  },
  {
    name: 'ownership: the epoch does not change',
    file: workers,
    find: `        each.epoch++
`,
    replace: ``,
  },
  {
    name: 'ownership: departing shards are not given back',
    file: ownership,
    find: `    if (left.length > 0) await store.giveShards({ worker, shards: left, now: clock.now() })
`,
    replace: ``,
  },
  {
    name: 'ownership: a shard is given up while an attempt runs in it',
    file: ownership,
    find: `    await scheduler.leave(shard, givingGraceMs)
`,
    replace: `    void scheduler.leave(shard, givingGraceMs)
`,
  },
  {
    name: 'ownership: taken shards are not read',
    file: ownership,
    find: `    scheduler.take(taken)
`,
    replace: ``,
  },
  {
    name: 'ownership: an attempt starts in a departing shard',
    file: ownership,
    find: `check() && !leaving.has(shard)`,
    replace: `check()`,
  },
  {
    name: 'ownership: attempts in a lost shard continue',
    file: deliveries,
    find: `setTimeout(stopNow, graceMs, own) : stopNow(own)`,
    replace: `setTimeout(stopNow, graceMs, own) : undefined`,
  },
  {
    name: 'ownership: the lease is checked only when it is renewed',
    file: ownership,
    find: `check() && !leaving.has(shard)`,
    replace: `!leaving.has(shard)`,
  },
  {
    name: 'ownership: workers do not share evenly',
    file: ownership,
    find: `Math.ceil(shards.length / Math.max(1, workers.length))`,
    replace: `0 * workers.length + shards.length / 2 - 1`,
  },
  {
    name: 'settlements: an unknown outcome is treated as a success',
    file: writer,
    find: `        const pauseMs = getPauseMs(error)
`,
    replace: `        const pauseMs = getPauseMs(error)
        if (error instanceof StorageOutcomeUnknownError) {
          return settlements.map(({ delivery, version }) => {
            const after = { ...delivery, dueAt: null }
            return { outcome: 'settled', delivery: after, version: version + 1, disabled: null, next: null }
          })
        }
`,
  },
  {
    name: 'settlements: the results of a batch are mixed up',
    file: writer,
    find: `resolve(outcomes[index] ?? { outcome: 'stale' })`,
    replace: `resolve(outcomes[batch.length - 1 - index] ?? { outcome: 'stale' })`,
  },
  {
    name: 'settlements: a result that arrives during a batch is never written',
    file: writer,
    find: `    isWriting = false
    schedule()`,
    replace: `    isWriting = false`,
  },
]
