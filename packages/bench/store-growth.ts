import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventRecord, memoryStore, type Store, type SubscriptionRecord } from '@wabakit/core'
import { sqliteStore } from '@wabakit/server'
import { type Measurement, median, medianRatio, report } from './src/rounds.ts'

// A claim of up to 64 deliveries and the settlement of all of them at once, as the dispatcher does it, with 1,000 and
// with 1,000,000 deliveries pending. What is settled is told anew, so that the backlog keeps its length.
//
//   node --conditions=@wabakit/source packages/bench/store-growth.ts [sqlite|memory] [most pending]
const [engine = 'sqlite', most = '1000000'] = process.argv.slice(2)
const now = Date.UTC(2026, 0, 1)
const limit = 64
const folder = mkdtempSync(join(tmpdir(), 'wabakit-growth-'))

const open = (name: string): Store =>
  engine === 'memory' ? memoryStore() : sqliteStore({ path: join(folder, `${name}.db`) })

const digitsOf = (subscription: number): string => `1555${String(subscription).padStart(7, '0')}`

const subscription = (index: number): SubscriptionRecord => ({
  id: `sub_${index}`,
  organizationId: 'acme',
  revision: 1,
  channel: 'WHATSAPP',
  number: digitsOf(index),
  digits: digitsOf(index),
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
const payload = JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupName: 'x'.repeat(200) })
const event = (subject: string, toSubscription = 0): EventRecord => ({
  id: `evt_${told++}`,
  organizationId: 'acme',
  name: 'GROUP_PARTICIPANT_JOINED',
  subject,
  channel: 'WHATSAPP',
  digits: digitsOf(toSubscription),
  payload,
  waitsFor: null,
  occurredAt: now,
})

/** How deliveries are spread: makes the event that is told as the `index`-th. */
type Shape = (index: number) => EventRecord

const shapes: Record<string, Shape> = {
  'each its own lane': (index) => event(`group:${index}`),
  'in one lane': () => event('group:0'),
  'over 1,000 subscriptions': (index) => event(`group:${index}`, index % 1_000),
}

type Backlog = {
  readonly name: string
  readonly store: Store
  readonly shape: Shape
  next: number
  /** Median nanoseconds per delivery of each round. */
  readonly rounds: number[]
}

const tell = async ({ store, shape }: Pick<Backlog, 'store' | 'shape'>, from: number, count: number) => {
  for (let at = from; at < from + count; at += 500) {
    const events = Array.from({ length: Math.min(500, from + count - at) }, (_, index) => shape(at + index))
    await Promise.all(events.map((each) => store.addEvent(each)))
  }
}

const fill = async (name: string, pending: number, shape: Shape): Promise<Backlog> => {
  const store = open(name.replaceAll(/\W+/g, '-'))
  const organization = { callSummaries: 'manual', integrations: [], pstnNumbers: [] } as const
  await store.saveOrganization({ id: 'acme', revision: 1, createdAt: now, ...organization })
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => store.saveSubscription(subscription(index))))
  const start = performance.now()
  await tell({ store, shape }, 0, pending)
  console.log(`${name}: told in ${((performance.now() - start) / 1_000).toFixed(1)} s`)
  return { name, store, shape, next: pending, rounds: [] }
}

const attempt = { startedAt: now, durationMs: 1, url: 'https://receiver.example/', status: 200, error: null }
const result = { kind: 'delivered' as const, attempt: { ...attempt, responseBody: 'ok' } }
let claims = 0

/** Claims and settles a batch; the nanoseconds it took per delivery, without the telling anew. */
const cycle = async (backlog: Backlog): Promise<number> => {
  const { store } = backlog
  const claimId = `claim_${claims++}`
  const start = process.hrtime.bigint()
  const claimed = await store.claimDeliveries({
    claimId,
    now,
    leaseMs: 60_000,
    limit,
    perSubscription: limit,
  })
  await Promise.all(
    claimed.map(({ delivery }) =>
      store.settleDelivery({ deliveryId: delivery.id, claimId, now, result, failingLimitMs: 1 }),
    ),
  )
  const taken = Number(process.hrtime.bigint() - start)
  await tell(backlog, backlog.next, claimed.length)
  backlog.next += claimed.length
  return taken / claimed.length
}

const sizes = [1_000, Number(most)]
const backlogs: Backlog[] = []
for (const [name, shape] of Object.entries(shapes)) {
  for (const size of sizes) backlogs.push(await fill(`${size.toLocaleString('en')} ${name}`, size, shape))
}

// Batches take turns, so that a slow moment of the machine hits all of them; a figure is the median of a round of 20.
const rounds = 15
for (let round = -2; round < rounds; round++) {
  const figures = new Map(backlogs.map((backlog) => [backlog, [] as number[]]))
  for (let batch = 0; batch < 20; batch++) {
    for (const [backlog, taken] of figures) taken.push(await cycle(backlog))
  }
  if (round >= 0) for (const [backlog, taken] of figures) backlog.rounds.push(median(taken))
}

const measurements = backlogs.map(({ name, rounds: figures }): Measurement => {
  const sorted = figures.toSorted((a, b) => a - b)
  const quarter = Math.floor(sorted.length / 4)
  const quartiles = [sorted[quarter] ?? Number.NaN, sorted.at(-1 - quarter) ?? Number.NaN] as const
  return { name, median: median(figures), quartiles, rounds: figures }
})
const growth = Object.fromEntries(
  Object.keys(shapes).map((name, index) => {
    const [few, many] = measurements.slice(2 * index)
    return [name, few && many ? Number(medianRatio(many, few).toFixed(2)) : Number.NaN]
  }),
)
report(`Claim and settle on ${engine}, per delivery`, `store-growth-${engine}`, measurements, { growth })
console.log(`With ${sizes[1]?.toLocaleString('en')} pending, times the cost with 1,000:`, growth)
for (const { store } of backlogs) await store.close()
rmSync(folder, { recursive: true })
