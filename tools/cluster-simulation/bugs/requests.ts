import type { PlantedBug } from './bug.ts'

/** Bugs in group creation, call steps, client retries and receivers. */
export const requestBugs: readonly PlantedBug[] = [
  {
    name: 'every create with a known id succeeds',
    file: 'core/src/storage/decide-creation.ts',
    find: 'const isSame = group.requestHash !== null && group.requestHash === existing.requestHash',
    replace: 'const isSame = true',
  },
  {
    name: 'every summary publishes CALL_AI_SUMMARY',
    file: 'core/src/memory-store/memory-store.ts',
    find: '!summaries.has(summary.callId) && !summaryMarks',
    replace: '!summaryMarks',
  },
  {
    name: 'a call step ignores concurrent changes',
    file: 'core/src/memory-store/memory-store.ts',
    find: `      if (!isNext(calls.get(call.callId), call)) return 'stale'
`,
    replace: '',
  },
  {
    name: 'an unknown outcome is reported as a failure that changed nothing',
    file: 'core/src/http/exchange.ts',
    find: `new RequestRefusedError('outcome_unknown', message)`,
    replace: `new RequestRefusedError('storage_unavailable', message)`,
  },
  {
    name: 'clock steps count twice',
    file: 'core/src/values/clock.ts',
    find: 'ahead -= step',
    replace: 'ahead += step',
  },
  {
    name: 'the client treats a lost response as a failure',
    file: 'client/src/retry/retry-policy.ts',
    find: 'if (isLost(failure)) return !failure.neverSent',
    replace: 'if (isLost(failure)) return false',
  },
  {
    name: 'the client treats 503 outcome_unknown as a failure',
    file: 'client/src/retry/retry-policy.ts',
    find: 'failure.status >= 500 && !isPostponed(failure)',
    replace: 'failure.status >= 600',
  },
  {
    name: 'the client forgets that an earlier attempt may have succeeded',
    file: 'client/src/retry/send.ts',
    find: 'isUnknown ||= ',
    replace: 'isUnknown = ',
  },
  {
    name: 'the dedupe store forgets handled events',
    file: 'webhooks/src/dedupe/memory-dedupe.ts',
    find: `return known.done ? 'duplicate' : 'in_progress'`,
    replace: `if (!known.done) return 'in_progress'`,
  },
  {
    name: 'receivers handle events that are being handled',
    file: 'webhooks/src/dedupe/memory-dedupe.ts',
    find: `return known.done ? 'duplicate' : 'in_progress'`,
    replace: `if (known.done) return 'duplicate'`,
  },
  {
    name: 'receivers do not complete their claims',
    file: 'webhooks/src/receiver/handle-once.ts',
    find: `return !claim || (await claim.complete()) ? 'handled' : 'in_progress'`,
    replace: `return 'handled'`,
  },
  {
    name: 'receivers do not renew their claims',
    file: 'webhooks/src/receiver/handle-once.ts',
    find: 'setInterval(renew, Math.min(ttlMs / 3, longestTimerMs))',
    replace: 'setInterval(renew, 100 * ttlMs)',
  },
]
