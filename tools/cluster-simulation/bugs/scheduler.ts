import type { Plan } from '../src/plan.ts'
import { hasLateChanges, type PlantedBug } from './bug.ts'

const prefetchFile = 'core/src/delivery/prefetch.ts'
const scheduler = 'core/src/delivery/scheduler.ts'
const queues = 'core/src/delivery/queues.ts'
const deliveries = 'core/src/delivery/under-way.ts'
const policy = 'core/src/delivery/start-policy.ts'
const reader = 'core/src/delivery/page-reader.ts'

/** Returns whether a queue with many pages may be restarted while one of them is being read slowly. */
const hasSlowWindows = (plan: Plan): boolean =>
  hasLateChanges(plan) && (plan.slowMs ?? 0) > 0 && plan.prefetchSize <= 3 && plan.operations.length >= 10

const losesCalls = ({ rates }: Plan): boolean => Object.keys(rates?.store ?? {}).length > 0

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

/** Bugs in the scheduler and its prefetched deliveries. */
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
    file: queues,
    find: `    if (known !== undefined) return known
    const epoch`,
    replace: `    if (known !== undefined || !newShards.has(shard)) return known
    const epoch`,
  },
  {
    name: 'scheduler: a queue is not read again after settlements',
    file: deliveries,
    find: `    if (queue.lookFrom < Infinity) queue.prefetch.lookFrom(queue.lookFrom)
`,
    replace: ``,
    needs: hasSlowLanes,
  },
  {
    name: 'scheduler: the delivery of a stale settlement is dropped',
    file: deliveries,
    find: `      if ('error' in outcome || outcome.outcome === 'stale') return discard(settling)
`,
    replace: `      if ('error' in outcome) return discard(settling)
      if (outcome.outcome === 'stale') {
        release(settling)
        queue.prefetch.end(settling.entry, null, null)
        return queues.place(queue)
      }
`,
  },
  {
    name: 'scheduler: deliveries that could not be loaded are dropped',
    file: deliveries,
    find: `          for (const loading of batch) putBack(loading)
          loop.fail(error)
`,
    replace: `          for (const loading of batch) {
            release(loading)
            loading.queue.prefetch.end(loading.entry, null, null)
          }
          loop.fail(error)
`,
  },
  {
    name: 'scheduler: a delivery that changed after it was read is not read again',
    file: deliveries,
    find: `      queue.prefetch.restart()
      queues.place(queue)
      loop.request()`,
    replace: `      queues.place(queue)
      loop.request()`,
    needs: hasLateChanges,
  },
  {
    name: 'scheduler: a delivery is dropped while its queue waits to be read again',
    file: deliveries,
    find: `    queues.place(queue)
    void reader.pause(missPauseMs)`,
    replace: `    queue.prefetch.end(entry, null, null)
    queues.place(queue)
    void reader.pause(missPauseMs)`,
    needs: hasLateChanges,
  },
  {
    name: 'scheduler: a due delivery does not wake it up',
    file: queues,
    find: `      if (next !== undefined) loop.wakeAt(getTime(next))
`,
    replace: ``,
  },
  {
    name: 'scheduler: retries start before they are due',
    file: 'core/src/delivery/explain-wait.ts',
    find: `  if (until > now) return`,
    replace: `  if (until > now + 60_000) return`,
  },
  {
    name: 'scheduler: concurrent attempts per subscription are unlimited',
    file: policy,
    find: `? 1 : options.perSubscription`,
    replace: `? 1 : Infinity`,
    needs: hasSlowCrowd,
  },
  {
    name: 'scheduler: a full queue never resumes',
    file: deliveries,
    find: `    queue.lookFrom = Infinity
    queues.place(queue)
`,
    replace: `    queue.lookFrom = Infinity
`,
  },
  {
    name: 'scheduler: sweeps find nothing',
    file: reader,
    find: `    const behind = await readQueues(swept, cursor)
`,
    replace: `    const behind = await readQueues([], cursor)
`,
  },
  {
    name: 'scheduler: a shard that could not be read is not read again',
    file: reader,
    find: `      await pause(failurePauseMs)
      return readNewShards()`,
    replace: `      newShards.clear()
      return undefined`,
    needs: losesCalls,
  },
  {
    name: 'scheduler: manual changes are ignored',
    file: scheduler,
    find: `      else if (change.kind === 'changed') queues.lookFrom(change.state, 0)
`,
    replace: ``,
  },
  {
    name: 'scheduler: a failing subscription gets many concurrent attempts',
    file: policy,
    find: `return pace === 'new' || pace === 'failing' ? 1 : options.perSubscription`,
    replace: `return pace === 'new' ? 1 : options.perSubscription`,
  },
  {
    name: 'scheduler: the rate limit is ignored after a change',
    file: policy,
    find: `return maxAttemptsPerSecond === null || limit.start(maxAttemptsPerSecond, options.clock.now())`,
    replace: `return maxAttemptsPerSecond === null || limit.start(maxAttemptsPerSecond, options.clock.now()) || true`,
  },
  {
    name: 'scheduler: attempt starts are forgotten when the queue is empty',
    file: queues,
    find: `    queues.delete(queue.id)
`,
    replace: `    queues.delete(queue.id)
    policy.limits.delete(queue.id)
`,
  },
  {
    name: 'scheduler: a rate limit blocks a subscription forever',
    file: 'core/src/delivery/start-limit.ts',
    find: `    endLoading: (): void => {
      picked = 0
    },`,
    replace: `    endLoading: (): void => {},`,
  },
]
