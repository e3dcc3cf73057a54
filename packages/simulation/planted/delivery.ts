import type { PlantedBug } from './bug.ts'

/** Bugs in the dispatcher, the schedule, and the claims and lanes of the memory store. */
export const deliveryBugs: readonly PlantedBug[] = [
  {
    name: 'the first retry comes too early',
    file: 'core/src/delivery/schedule.ts',
    find: '  5 * second,',
    replace: '  3 * second,',
  },
  {
    name: 'pauses have too much jitter',
    file: 'core/src/delivery/schedule.ts',
    find: 'const jitter = 0.1',
    replace: 'const jitter = 0.3',
  },
  {
    name: 'a head blocks its lane for one more failure',
    file: 'core/src/delivery/schedule.ts',
    find: 'before + 1 >= blockingFailures',
    replace: 'before >= blockingFailures',
  },
  {
    name: 'Retry-After is ignored',
    file: 'core/src/delivery/schedule.ts',
    find: 'Math.max(pauseMs, requestedMs)',
    replace: 'pauseMs',
  },
  {
    name: 'a deferral can be shorter than a second',
    file: 'core/src/delivery/schedule.ts',
    find: 'Math.min(Math.max(retryAfterMs, second), leftMs)',
    replace: 'Math.min(retryAfterMs, leftMs)',
  },
  {
    name: 'a 410 is a failure like any other',
    file: 'core/src/delivery/schedule.ts',
    find: 'status === 410',
    replace: 'status === 411',
  },
  {
    name: 'a redirect is a success',
    file: 'core/src/delivery/schedule.ts',
    find: 'status >= 200 && status <= 299',
    replace: 'status >= 200 && status <= 499',
  },
  {
    name: 'a claim whose lease is over is attempted',
    file: 'core/src/delivery/dispatcher.ts',
    find: 'clock.now() - job.claimedAt > attemptableMs',
    replace: 'clock.now() - job.claimedAt > 100 * leaseMs',
  },
  {
    name: 'a lost worker continues its attempts',
    file: 'core/src/delivery/dispatcher.ts',
    find: `  const stopAttempts = (): void => {
    stoppingFailing.stop()
    stopping.stop()`,
    replace: '  const stopAttempts = (): void => {',
  },
  {
    name: 'each attempt has a webhook-id of its own',
    file: 'core/src/delivery/attempt.ts',
    find: 'id: delivery.webhookId, payload',
    replace: 'id: delivery.id, payload',
  },
  {
    name: 'the poller does not wake at the next due time',
    file: 'core/src/delivery/poller.ts',
    find: 'pause > 0 && pause < pollMs ? pause : pollMs',
    replace: '100 * pollMs',
  },
  {
    name: 'the poller ignores what becomes due',
    file: 'core/src/delivery/poller.ts',
    find: `        void pool.fill()
        return`,
    replace: '        return',
  },
  {
    name: 'nobody claims after a job has ended',
    file: 'core/src/delivery/pool.ts',
    find: `    if (!wasQuick || !isQuick) void suspectClaims.request()
    if (wasQuick || isQuick) await quickClaims.request()`,
    replace: '    void wasQuick',
  },
  {
    name: 'a second request to claim is forgotten',
    file: 'core/src/delivery/claim-loop.ts',
    find: `      isRequested = true
      if`,
    replace: `      if (isRunning) return
      isRequested = true
      if`,
  },
  {
    name: 'a stop ends with the first failure',
    file: 'core/src/delivery/pool.ts',
    find: `return new Promise((resolve) => {
        closings.push(resolve)
        void fill()
      })`,
    replace: 'return drain()',
  },
  {
    name: 'a failure reports that the lane is free',
    file: 'core/src/memory-store/delivery-queue.ts',
    find: `if (result.kind === 'retry' && result.releasesLane)`,
    replace: `if (result.kind === 'retry')`,
  },
  {
    name: 'a settlement needs no claim',
    file: 'core/src/memory-store/delivery-queue.ts',
    find: 'row === undefined || row.claimId !== claimId',
    replace: 'row === undefined',
  },
  {
    name: 'leases expire half a minute early',
    file: 'core/src/memory-store/delivery-queue.ts',
    find: 'if (row === undefined || row.at > now) return expired',
    replace: 'if (row === undefined || row.at > now + 30_000) return expired',
  },
  {
    name: 'a failing subscription gets many attempts at once',
    file: 'core/src/memory-store/delivery-queue.ts',
    find: `(owner.pace === 'new' || owner.pace === 'failing')`,
    replace: `owner.pace === 'new'`,
  },
  {
    name: 'the next of a lane is not promoted',
    file: 'core/src/memory-store/delivery-queue.ts',
    find: `    if (lane !== undefined) lanes.promote(lane, now)
  }

  return {`,
    replace: `  }

  return {`,
  },
  {
    name: 'a new delivery overtakes those that wait',
    file: 'core/src/memory-store/lanes.ts',
    find: `lane.blocker === undefined && lane.waiting?.peek() === undefined &&`,
    replace: '',
  },
]
