import { type EventRecord, memoryStore, type Store, type SubscriptionRecord } from '@wabakit/core'
import { type Measurement, median, medianRatio, report } from './src/rounds.ts'

// One claim of up to 64 deliveries and the settlement of each, with 1,000 to 1,000,000 deliveries pending. What is
// settled is told anew, so that the backlog keeps its length.
const now = Date.UTC(2026, 0, 1)
const limit = 64
const digits = '15550100001'

const subscription = (index: number): SubscriptionRecord => ({
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
  disabledReason: null,
  failingSince: null,
  createdAt: now,
  updatedAt: now,
})

let told = 0
const event = (subject: string, number = digits): EventRecord => ({
  id: `evt_${told++}`,
  organizationId: 'acme',
  name: 'GROUP_PARTICIPANT_JOINED',
  subject,
  channel: 'WHATSAPP',
  digits: number,
  payload: '{}',
  waitsFor: null,
  occurredAt: now,
})

/** Makes the event that is told as the `index`-th. */
type Shape = (index: number) => EventRecord

const lanes: Shape = (index) => event(`group:${index}`)
const oneLane: Shape = () => event('group:0')

const open = async (pending: number, shape: Shape): Promise<Store> => {
  const store = memoryStore()
  await store.saveOrganization({
    id: 'acme',
    revision: 1,
    callSummaries: 'manual',
    integrations: [],
    pstnNumbers: [],
    createdAt: now,
  })
  await store.saveSubscription(subscription(0))
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

const backlog = async (name: string, pending: number, shape: Shape): Promise<Backlog> => ({
  name,
  store: await open(pending, shape),
  shape,
  next: pending,
  rounds: [],
})

let claims = 0

/** Claims and settles a batch; the nanoseconds it took per delivery, without the telling anew. */
const cycle = async (one: Backlog): Promise<number> => {
  const { store, shape } = one
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
  const taken = Number(process.hrtime.bigint() - start)
  for (const _ of claimed) await store.addEvent(shape(one.next++))
  return taken / claimed.length
}

const backlogs: Backlog[] = []
for (const pending of [1_000, 10_000, 100_000, 1_000_000]) {
  backlogs.push(await backlog(`${pending.toLocaleString('en')} pending, each its own lane`, pending, lanes))
}
backlogs.push(await backlog('1,000 pending in one lane', 1_000, oneLane))
backlogs.push(await backlog('1,000,000 pending in one lane', 1_000_000, oneLane))

// Batches take turns, so that a slow moment of the machine hits all of them; a figure is the median of a round of 20.
const rounds = 20
for (let round = -2; round < rounds; round++) {
  const batches = new Map(backlogs.map((each) => [each, [] as number[]]))
  for (let batch = 0; batch < 20; batch++) {
    for (const [each, figures] of batches) figures.push(await cycle(each))
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
const growthOf = (few: Measurement | undefined, many: Measurement | undefined): number =>
  few && many ? Number(medianRatio(many, few).toFixed(2)) : Number.NaN
const growth = { ownLanes: growthOf(small, large), oneLane: growthOf(shortLane, longLane) }
report('Claim and settle in memory, per delivery', 'core-claims', measurements, { growth })
console.log(
  `1,000,000 pending cost ${growth.ownLanes} times 1,000 (each its own lane), ${growth.oneLane} (one lane)`,
)
