import { vi } from 'vitest'
import { createScheduler } from '../src/delivery/scheduler.ts'
import type { Attempting, Ended } from '../src/delivery/states.ts'
import { memoryStore } from '../src/memory-store/memory-store.ts'
import type { AttemptVerdict, Settlement, Store } from '../src/store.ts'
import { delivered } from './store-cases/deliveries.ts'
import { buildEvent, buildOrganization, buildSubscription, start } from './store-cases/records.ts'

type ScenarioOptions = {
  readonly store?: Store
  readonly subscriptions?: number
  readonly perSubscription?: number
  readonly concurrency?: number
  readonly sharesFairly?: boolean
  readonly maxAttemptsPerSecond?: number
  readonly isSettling?: () => boolean
  /** @default true */
  readonly isOpen?: boolean
}

/**
 * Creates a scheduler on an in-memory store, whose attempts end on request. It owns all shards. Unless `isOpen` is false,
 * it has taken them.
 */
export const createScenario = async (options: ScenarioOptions = {}) => {
  const { store = memoryStore(), subscriptions = 1 } = options
  const clock = { time: start }
  const attempts: Array<{
    readonly job: Attempting
    readonly at: number
    end(result: AttemptVerdict | undefined, isSlow?: boolean): void
  }> = []
  const errors: unknown[] = []
  const worker = 'w'
  const view = await store.renewWorker({ worker, leaseMs: 1e9, now: start })
  const owned = await store.takeShards({ worker, shards: view.shards, now: start })
  const epochs = new Map(owned.map(({ shard, epoch }) => [shard, epoch]))
  await store.saveOrganization(buildOrganization())
  for (let index = 0; index < subscriptions; index++)
    await store.saveSubscription(
      buildSubscription({
        id: `sub_${index}`,
        maxAttemptsPerSecond: index === 0 ? (options.maxAttemptsPerSecond ?? null) : null,
      }),
    )
  const scheduler = createScheduler({
    store,
    clock: { now: () => clock.time },
    concurrency: options.concurrency ?? 64,
    perSubscription: options.perSubscription ?? 8,
    sharesFairly: options.sharesFairly ?? false,
    timeoutMs: 15_000,
    getEpoch: (shard) => epochs.get(shard),
    attempt: (job) =>
      new Promise<Ended>((resolve) => {
        const end = (result: AttemptVerdict | undefined, isSlow = false): void => {
          const index = attempts.findIndex((each) => each.job === job)
          if (index >= 0) attempts.splice(index, 1)
          resolve({ result, isSlow })
        }
        attempts.push({ job, at: clock.time - start, end })
        job.stopping.onStop(() => end(undefined))
      }),
    settle: async ({ key, attempted: { delivery }, result, pace }) => {
      const settlement: Settlement = { ...key, delivery, now: clock.time, result, pace, failingLimitMs: 1e12 }
      const [outcome] = await store.settleDeliveries([settlement])
      if (outcome === undefined) throw new Error('there is no outcome')
      return outcome
    },
    isSettling: options.isSettling ?? (() => false),
    onError: (error) => errors.push(error),
  })
  store.listen(scheduler.onChange)
  const open = (): void => {
    scheduler.open()
    scheduler.take(owned)
  }
  /** Takes all shards again, with new epochs. */
  const takeAgain = async (): Promise<void> => {
    const { shards } = await store.renewWorker({ worker, leaseMs: 1e9, now: start })
    const again = await store.takeShards({ worker, shards, now: start })
    for (const { shard, epoch } of again) epochs.set(shard, epoch)
    scheduler.take(again)
  }
  /** Waits until all work that needs no timer is done. */
  const wait = async (): Promise<void> => {
    for (let turn = 0; turn < 60; turn++) await Promise.resolve()
  }
  /** Publishes events of different subjects, or of one. */
  const publish = (count: number, subject?: string): Promise<unknown> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        store.addEvent(buildEvent({ subject: subject ?? `s${index}` })),
      ),
    )
  /** Returns the statuses of all deliveries. */
  const list = async (): Promise<string[]> =>
    (await store.listDeliveries({ organizationId: 'acme', limit: 1_000 })).items.map(({ status }) => status)
  if (options.isOpen ?? true) open()
  await wait()
  return { store, clock, scheduler, attempts, errors, epochs, owned, open, takeAgain, wait, publish, list }
}

/**
 * Lets time pass, and ends each attempt at once. Returns the times at which attempts to the first subscription started.
 */
export const runFor = async (
  { clock, attempts, wait }: Awaited<ReturnType<typeof createScenario>>,
  ms: number,
): Promise<number[]> => {
  const starts: number[] = []
  for (let passed = 0; passed < ms; passed++) {
    for (const { job, at, end } of [...attempts]) {
      if (job.attempted.subscription.id === 'sub_0') starts.push(at)
      end(delivered)
    }
    await wait()
    clock.time++
    await vi.advanceTimersByTimeAsync(1)
  }
  return starts
}
