import type { Plan } from '../src/plan.ts'
import { hasSecondThoughts, type PlantedBug } from './bug.ts'

const prefetchFile = 'core/src/delivery/prefetch.ts'
const scheduler = 'core/src/delivery/scheduler.ts'
const ownership = 'core/src/delivery/ownership.ts'
const dispatcher = 'core/src/delivery/dispatcher.ts'
const writer = 'core/src/delivery/settlement-writer.ts'
const deliveryQueue = 'core/src/memory-store/delivery-queue.ts'
const unfinished = 'core/src/memory-store/unfinished.ts'
const tables = 'core/src/memory-store/tables.ts'
const workers = 'core/src/storage/workers.ts'
const history = 'core/src/memory-store/history.ts'
const decision = 'core/src/storage/decide-settlement.ts'

const hasLateChanges = ({ changesMs = 0 }: Plan): boolean => changesMs > 0

/** Returns whether a queue may be restarted while pages with many deliveries are being read. */
const hasSlowWindows = (plan: Plan): boolean =>
  hasLateChanges(plan) && (plan.slowMs ?? 0) > 0 && plan.prefetchSize <= 3 && plan.operations.length >= 10

const losesCalls = ({ rates }: Plan): boolean => Object.keys(rates?.store ?? {}).length > 0

/** Returns whether settlements of failed attempts may be repeated because a response was lost. */
const repeatsSettlements = ({ rates }: Plan): boolean =>
  (rates?.store['response lost'] ?? 0) > 0 && Object.keys(rates?.endpoint ?? {}).length > 0

/**
 * Returns whether deliveries may join a lane while its head is being settled and a page is being read. Requires that
 * only endpoints fail, because only then does a delivery that waits for the next sweep count as late.
 */
const hasSlowLanes = ({ slowMs = 0, pollMs, handlerMs, operations, faults, rates }: Plan): boolean => {
  const calls = operations.flatMap((each) => (each.do === 'make a call' ? [each.callId] : []))
  const isQuiet = [rates?.store, rates?.network].every((each = {}) => Object.keys(each).length === 0)
  const isReliable = isQuiet && handlerMs[1] < 1_000 && faults.every((fault) => 'endpoint' in fault)
  return (
    isReliable &&
    slowMs >= 300 &&
    pollMs >= 30_000 &&
    calls.some((callId) => calls.filter((each) => each === callId).length >= 4)
  )
}

/** Returns whether many deliveries go to endpoints that may respond slowly. */
const hasSlowCrowd = ({ operations, handlerMs }: Plan): boolean =>
  operations.length >= 10 && handlerMs[1] >= 500

/** Returns whether workers lose their sessions while shards move between them. */
const losesWorkers = ({ servers, faults }: Plan): boolean =>
  servers.every(({ delivers }) => delivers) &&
  servers.length === 3 &&
  faults.some(({ fault }) => fault === 'end the session')

/** Bugs in the scheduler, shard ownership and the in-memory delivery queue. */
export const schedulerBugs: readonly PlantedBug[] = [
  {
    name: 'prefetch: deliveries appended below the cursor are not read',
    file: prefetchFile,
    find: `    after = Math.min(after, position - 1)
    isEnd = false`,
    replace: `    isEnd = false`,
  },
  {
    name: 'prefetch: a change that arrives while a page is being read is lost',
    file: prefetchFile,
    find: `    if (done.from < Infinity) lookFrom(done.from)
`,
    replace: ``,
    needs: (plan) => hasSlowLanes(plan) && plan.slowCalls === 'settlements and pages',
  },
  {
    name: 'prefetch: heads reported while a page is being read are lost',
    file: prefetchFile,
    find: `    for (const each of done.heads) add(each, true)
`,
    replace: ``,
  },
  {
    name: 'prefetch: retries reported while a page is being read are lost',
    file: prefetchFile,
    find: `    for (const each of done.retries) addRetry(each)
`,
    replace: ``,
  },
  {
    name: 'prefetch: a delivery in progress is added again',
    file: prefetchFile,
    find: `    if (old?.isBusy) {
      if (!isRetry && pending.version > old.version) old.newer = pending
      return
    }
`,
    replace: ``,
  },
  {
    name: 'prefetch: a page that predates a change is used',
    file: prefetchFile,
    find: `      if (reading !== undefined) reading.isVoid = true
`,
    replace: ``,
    needs: hasSlowWindows,
  },
  {
    name: 'prefetch: the first page of heads is treated as the last',
    file: prefetchFile,
    find: `        isEnd = page.isEnd
`,
    replace: `        isEnd = true
`,
  },
  {
    name: 'prefetch: the first page of retries is treated as the last',
    file: prefetchFile,
    find: `horizon = page.isEnd ? lastPlace : (page.retries.at(-1) ?? firstPlace)`,
    replace: `horizon = lastPlace`,
  },
  {
    name: 'prefetch: a restart does not reset the cursor',
    file: prefetchFile,
    find: `      after = 0
      isEnd = false
      horizon = firstPlace
`,
    replace: `      isEnd = false
      horizon = firstPlace
`,
  },
  {
    name: 'prefetch: a restart skips the retries',
    file: prefetchFile,
    find: `      isEnd = false
      horizon = firstPlace
`,
    replace: `      isEnd = false
`,
  },
  {
    name: 'prefetch: a retry is not added',
    file: prefetchFile,
    find: `      if (retry !== null) addRetry(retry)
`,
    replace: ``,
  },
  {
    name: 'prefetch: the next head of a lane is not added',
    file: prefetchFile,
    find: `      if (next !== null) add(next, true)
`,
    replace: ``,
  },
  {
    name: 'scheduler: a change of an unknown queue is ignored',
    file: scheduler,
    find: `    if (known !== undefined) return known
    const epoch`,
    replace: `    if (known !== undefined || !newShards.has(shard)) return known
    const epoch`,
  },
  {
    name: 'scheduler: a queue is not read again after settlements',
    file: scheduler,
    find: `      if (queue.lookFrom < Infinity) queue.prefetch.lookFrom(queue.lookFrom)
`,
    replace: ``,
    needs: hasSlowLanes,
  },
  {
    name: 'scheduler: the delivery of a stale settlement is dropped',
    file: scheduler,
    find: `      if (outcome.outcome === 'stale') return discard(picked)
`,
    replace: `      if (outcome.outcome === 'stale') {
        release(picked)
        queue.prefetch.end(entry, null, null)
        return place(queue)
      }
`,
  },
  {
    name: 'scheduler: deliveries that could not be loaded are dropped',
    file: scheduler,
    find: `      for (const picked of picks) putBack(picked)
      fail(error)`,
    replace: `      for (const picked of picks) {
        release(picked)
        picked.queue.prefetch.end(picked.entry, null, null)
      }
      fail(error)`,
  },
  {
    name: 'scheduler: a delivery that changed after it was read is not read again',
    file: scheduler,
    find: `      picked.queue.prefetch.restart()
      place(picked.queue)
      request()`,
    replace: `      place(picked.queue)
      request()`,
    needs: hasLateChanges,
  },
  {
    name: 'scheduler: a delivery is dropped while its queue waits to be read again',
    file: scheduler,
    find: `    place(picked.queue)
    void pauseReading(missPauseMs)`,
    replace: `    picked.queue.prefetch.end(picked.entry, null, null)
    place(picked.queue)
    void pauseReading(missPauseMs)`,
    needs: hasLateChanges,
  },
  {
    name: 'scheduler: a due delivery does not wake it up',
    file: scheduler,
    find: `    if (next !== undefined) wakeAt(next.at)
`,
    replace: ``,
  },
  {
    name: 'scheduler: retries start before they are due',
    file: scheduler,
    find: `    const isDue = queue.at <= now
`,
    replace: `    const isDue = queue.at <= now + 60_000
`,
  },
  {
    name: 'scheduler: concurrent attempts per subscription are unlimited',
    file: scheduler,
    find: `? 1 : perSubscription`,
    replace: `? 1 : Infinity`,
    needs: hasSlowCrowd,
  },
  {
    name: 'scheduler: a full queue never resumes',
    file: scheduler,
    find: `      queue.lookFrom = Infinity
      place(queue)
`,
    replace: `      queue.lookFrom = Infinity
`,
  },
  {
    name: 'scheduler: sweeps find nothing',
    file: scheduler,
    find: `    const behind = await readQueues(swept, cursor)
`,
    replace: `    const behind = await readQueues([], cursor)
`,
  },
  {
    name: 'scheduler: a shard that could not be read is not read again',
    file: scheduler,
    find: `      await pauseReading(failurePauseMs)
      return readNewShards()`,
    replace: `      newShards.clear()
      return undefined`,
    needs: losesCalls,
  },
  {
    name: 'scheduler: manual changes are ignored',
    file: scheduler,
    find: `      else if (change.kind === 'changed') restart(change.state)
`,
    replace: ``,
  },
  {
    name: 'scheduler: a failing subscription gets many concurrent attempts',
    file: scheduler,
    find: `return pace === 'new' || pace === 'failing' ? 1 : perSubscription`,
    replace: `return pace === 'new' ? 1 : perSubscription`,
  },
  {
    name: 'scheduler: the rate limit is ignored after a change',
    file: scheduler,
    find: `return maxAttemptsPerSecond === null || limit.start(maxAttemptsPerSecond, clock.now())`,
    replace: `return maxAttemptsPerSecond === null || limit.start(maxAttemptsPerSecond, clock.now()) || true`,
  },
  {
    name: 'scheduler: attempt starts are forgotten when the queue is empty',
    file: scheduler,
    find: `    queues.delete(queue.id)
`,
    replace: `    queues.delete(queue.id)
    limits.delete(queue.id)
`,
  },
  {
    name: 'scheduler: a rate limit blocks a subscription forever',
    file: 'core/src/delivery/start-limit.ts',
    find: `    endLoading: () => {
      picked = 0
    },`,
    replace: `    endLoading: () => {},`,
  },
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
    find: `    const left = onLeft(shard, 0)
    // A shard that is being given up leaves the set when its attempts have ended.
    if (leaving.has(shard)) return
`,
    replace: `    if (leaving.has(shard)) return
    const left = onLeft(shard, 0)
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
    find: `    await onLeft(shard, givingGraceMs)
`,
    replace: `    void onLeft(shard, givingGraceMs)
`,
  },
  {
    name: 'ownership: taken shards are not read',
    file: ownership,
    find: `    onTaken(taken)
`,
    replace: ``,
  },
  {
    name: 'ownership: an attempt starts in a departing shard',
    file: ownership,
    find: `(leaving.has(shard) ? undefined : owned.get(shard))`,
    replace: `owned.get(shard)`,
  },
  {
    name: 'ownership: attempts in a lost shard continue',
    file: scheduler,
    find: `setTimeout(stop, graceMs, own) : stop(own)`,
    replace: `setTimeout(stop, graceMs, own) : undefined`,
  },
  {
    name: 'ownership: the lease is checked only when it is renewed',
    file: dispatcher,
    find: `(ownership.check() ? ownership.getEpoch(shard) : undefined)`,
    replace: `ownership.getEpoch(shard)`,
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
  {
    name: 'delivery queue: a settlement does not check the version',
    file: deliveryQueue,
    find: `row?.version === key.version && isCurrent(key)`,
    replace: `isCurrent(key)`,
    needs: repeatsSettlements,
  },
  {
    name: 'delivery queue: a settlement does not check the epoch',
    file: deliveryQueue,
    find: `row?.version === key.version && isCurrent(key)`,
    replace: `row?.version === key.version`,
  },
  {
    name: 'delivery queue: a settlement checks neither version nor epoch',
    file: deliveryQueue,
    find: `row?.version === key.version && isCurrent(key) ? row`,
    replace: `row !== undefined ? row`,
  },
  {
    name: 'delivery queue: the version does not change',
    file: deliveryQueue,
    find: `    row.version++
`,
    replace: ``,
    needs: repeatsSettlements,
  },
  {
    name: 'delivery queue: skipped deliveries are loaded',
    file: deliveryQueue,
    find: `if (row === undefined || !isUnfinished(row)) return undefined`,
    replace: `if (row === undefined) return undefined`,
  },
  {
    name: 'delivery queue: the next head of a lane is not returned',
    file: deliveryQueue,
    find: `return head === undefined ? null : toPending(head)`,
    replace: `return head === undefined ? null : null`,
  },
  {
    name: 'delivery queue: the cursor is the highest position',
    file: deliveryQueue,
    find: `const [first] = owner.fresh.filter(({ order }) => order > seen)`,
    replace: `const [first] = owner.fresh.filter(({ position }) => position - 20 > seen)`,
  },
  {
    name: 'delivery queue: manual changes are not reported',
    file: deliveryQueue,
    find: `        if (owner.changedAt > seen) return [{ state, from: 0 }]
`,
    replace: ``,
    needs: (plan) => hasLateChanges(plan) && plan.servers.length === 1,
  },
  {
    name: 'delivery queue: a head overtakes a delivery that failed once',
    file: tables,
    find: `state === 'started' || event.name`,
    replace: `event.name`,
  },
  {
    name: 'delivery queue: a head overtakes the delivery it waits for',
    file: tables,
    find: `state === 'started' || event.name === head?.event.waitsFor`,
    replace: `state === 'started'`,
  },
  {
    name: 'delivery queue: every fresh delivery is a head',
    file: unfinished,
    find: `if (findHead(owner, row.event.subject) === row) heads.push(row)`,
    replace: `heads.push(row)`,
  },
  {
    name: 'delivery queue: a resend keeps the version',
    file: history,
    find: `    row.version++
`,
    replace: ``,
    needs: hasSecondThoughts,
  },
  {
    name: 'delivery queue: retries come in any order',
    file: deliveryQueue,
    find: `left.dueAt - right.dueAt || left.position - right.position`,
    replace: `right.dueAt - left.dueAt`,
  },
  {
    name: 'delivery queue: a failure releases the lane',
    file: decision,
    find: `(result.kind === 'retry' && result.releasesLane)`,
    replace: `result.kind === 'retry'`,
  },
  {
    name: 'delivery queue: a canceled delivery is sent again',
    file: decision,
    find: `  if (state === 'skipped') return finish('skipped', finishedAt ?? now)
`,
    replace: ``,
    needs: hasSecondThoughts,
  },
]
