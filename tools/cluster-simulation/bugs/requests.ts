import type { PlantedBug } from './bug.ts'

/** Bugs in summaries, client retries and receivers. */
export const requestBugs: readonly PlantedBug[] = [
  {
    name: 'every summary publishes CALL_AI_SUMMARY',
    file: 'core/src/memory-store/memory-store.ts',
    find: '!summaries.has(summary.callId) && !summaryMarks',
    replace: '!summaryMarks',
  },
  {
    name: 'an unknown outcome is reported as a failure that changed nothing',
    file: 'core/src/http/exchange.ts',
    find: `new RequestRefusedError('outcome_unknown', message)`,
    replace: `new RequestRefusedError('storage_unavailable', message)`,
  },
  {
    name: 'the client treats a lost response as a failure',
    file: 'client/src/retry/retry-policy.ts',
    find: 'if (isLost(failure)) return !failure.neverSent',
    replace: 'if (isLost(failure)) return false',
  },
  {
    name: 'receivers handle events that are being handled',
    file: 'webhooks/src/dedupe/memory-dedupe.ts',
    find: `return known.done ? 'duplicate' : 'in_progress'`,
    replace: `if (known.done) return 'duplicate'`,
  },
  {
    name: 'receivers do not renew their claims',
    file: 'webhooks/src/receiver/handle-once.ts',
    find: 'setInterval(renew, Math.min(ttlMs / 3, longestTimerMs))',
    replace: 'setInterval(renew, 100 * ttlMs)',
  },
]
