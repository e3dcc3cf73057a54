import { type EventRecord, memoryStore, type Store, type SubscriptionRecord } from '@wabakit/core'
import { type Measurement, median, medianRatio } from './src/measurement.ts'
import { report } from './src/report.ts'

// Claims up to 64 deliveries and settles each, with 1,000 to 1,000,000 pending. Settled events are published again, so that
// the size of the backlog stays the same.
const now = Date.UTC(2026, 0, 1)
const limit = 64
const digits = '15550100001'

const createSubscription = (index: number): SubscriptionRecord => ({
  id: `sub_${index}`,
  organizationId: 'acme',
  revision: 1,
  channel: 'WHATSAPP',
  number: digits,
  digits: index === 0 ? digits : `${digits}${index}`,
  url: 'https://receiver.example/',
  events: 'all',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  previousSecret: null,
  headers: {},
  disabledReason: null,
  failingSince: null,
  createdAt: now,
  updatedAt: now,
})

let published = 0
const createEvent = (subject: string, number = digits): EventRecord => ({
  id: `evt_${published++}`,
  organizationId: 'acme',
  name: 'GROUP_PARTICIPANT_JOINED',
  subject,
  channel: 'WHATSAPP',
  digits: number,
  payload: '{}',
  waitsFor: null,
  occurredAt: now,
})

/** Creates the event with this index. */
type Shape = (index: number) => EventRecord

const createInOwnLane: Shape = (index) => createEvent(`group:${index}`)
const createInOneLane: Shape = () => createEvent('group:0')

const openStore = async (pending: number, shape: Shape): Promise<Store> => {
  const store = memoryStore()
  await store.saveOrganization({
    id: 'acme',
    revision: 1,
    callSummaries: 'manual',
    integrations: [],
    pstnNumbers: [],
    createdAt: now,
  })
  await store.saveSubscription(createSubscription(0))
  for (let index = 0; index < pending; index++) await store.addEvent(shape(index))
  return store
}

const attempt = { startedAt: now, durationMs: 1, url: '', status: 200, error: null, responseBody: null }

type Backlog = {
  readonly name: string
  readonly store: Store
  readonly shape: Shape
  next: number
  /** Median nanoseconds per delivery of each round. */
  readonly rounds: number[]
}

const createBacklog = async (name: string, pending: number, shape: Shape): Promise<Backlog> => ({
  name,
  store: await openStore(pending, shape),
  shape,
  next: pending,
  rounds: [],
})

let claims = 0

/** Claims and settles a batch. Returns the nanoseconds per delivery, without publishing the events again. */
const runCycle = async (backlog: Backlog): Promise<number> => {
  const { store, shape } = backlog
  const claimId = `claim_${claims++}`
  const start = process.hrtime.bigint()
  const claimed = await store.claimDeliveries({
    claimId,
    now,
    leaseMs: 60_000,
    limit,
    perSubscription: limit,
  })
  for (const { delivery } of claimed) {
    const result = { kind: 'delivered' as const, attempt }
    await store.settleDelivery({ deliveryId: delivery.id, claimId, now, result, failingLimitMs: 1 })
  }
  const elapsed = Number(process.hrtime.bigint() - start)
  for (const _ of claimed) await store.addEvent(shape(backlog.next++))
  return elapsed / claimed.length
}

const backlogs: Backlog[] = []
for (const pending of [1_000, 10_000, 100_000, 1_000_000]) {
  backlogs.push(
    await createBacklog(
      `${pending.toLocaleString('en')} pending, each its own lane`,
      pending,
      createInOwnLane,
    ),
  )
}
backlogs.push(await createBacklog('1,000 pending in one lane', 1_000, createInOneLane))
backlogs.push(await createBacklog('1,000,000 pending in one lane', 1_000_000, createInOneLane))

// Batches are interleaved, so that a slow moment of the machine affects all of them. A round is the median of 20 batches.
const rounds = 20
for (let round = -2; round < rounds; round++) {
  const batches = new Map(backlogs.map((each) => [each, [] as number[]]))
  for (let batch = 0; batch < 20; batch++) {
    for (const [each, figures] of batches) figures.push(await runCycle(each))
  }
  if (round >= 0) for (const [each, figures] of batches) each.rounds.push(median(figures))
}

const measurements = backlogs.map(({ name, rounds: figures }): Measurement => {
  const sorted = figures.toSorted((a, b) => a - b)
  const quarter = Math.floor(sorted.length / 4)
  return {
    name,
    median: median(figures),
    quartiles: [median(sorted.slice(0, 2 * quarter)), median(sorted.slice(-2 * quarter))],
    rounds: figures,
  }
})
const [small, , , large, shortLane, longLane] = measurements
const computeGrowth = (few: Measurement | undefined, many: Measurement | undefined): number =>
  few && many ? Number(medianRatio(many, few).toFixed(2)) : Number.NaN
const growth = { ownLanes: computeGrowth(small, large), oneLane: computeGrowth(shortLane, longLane) }
report('Claim and settle in memory, per delivery', 'core-claims', measurements, { growth })
console.log(
  `1,000,000 pending cost ${growth.ownLanes} times as much as 1,000 (own lanes), ${growth.oneLane} times (one lane)`,
)
