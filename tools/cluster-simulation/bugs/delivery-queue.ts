import type { Plan } from '../src/plan.ts'
import { hasLateChanges, hasSecondThoughts, type PlantedBug } from './bug.ts'

const deliveryQueue = 'core/src/memory-store/delivery-queue.ts'
const unfinished = 'core/src/memory-store/unfinished.ts'
const tables = 'core/src/memory-store/tables.ts'
const history = 'core/src/memory-store/history.ts'
const decision = 'core/src/storage/decide-settlement.ts'

/** Returns whether settlements of failed attempts may be repeated because a response was lost. */
const repeatsSettlements = ({ rates }: Plan): boolean =>
  (rates?.store['response lost'] ?? 0) > 0 && Object.keys(rates?.endpoint ?? {}).length > 0

/** Bugs in the in-memory delivery queue. */
export const deliveryQueueBugs: readonly PlantedBug[] = [
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
