import { describe, expect, it } from 'vitest'
import type { InboxEngine } from '../../src/inbox/engine.ts'
import { createEntries } from '../../src/inbox/entries.ts'
import type { ClaimedEntry } from '../../src/inbox/read-entry.ts'
import { type Environment, newTable, receive, toEnd, toRequest } from './environment.ts'

// Two processes and one entry. Process a claims it, and then every order of a few steps runs when its claim is about to
// expire, or at the moment when it expires. What a process learns, and what is stored, must follow from `apply`.

const start = Date.UTC(2026, 0, 1)
const claimMs = 1_000

type Process = 'a' | 'b'
type Step = { readonly what: 'claim' | 'renew' | 'complete' | 'fail'; readonly by: Process }
type Entry = { state: string; holder: Process | undefined; dueAt: number; attempts: number }

/** Applies a step to an entry. Returns whether the process has claimed it, or still held its claim. */
const apply = (entry: Entry, { what, by }: Step, now: number): boolean => {
  if (what === 'claim') {
    if (entry.state === 'handled' || entry.dueAt > now) return false
    Object.assign(entry, { state: 'claimed', holder: by, dueAt: now + claimMs, attempts: entry.attempts + 1 })
    return true
  }
  if (entry.holder !== by) return false
  if (what === 'renew') entry.dueAt = now + claimMs
  else Object.assign(entry, { state: what === 'fail' ? 'failed' : 'handled', holder: undefined, dueAt: now })
  return true
}

const first: Step = { what: 'claim', by: 'a' }

/** Applies steps after the first one. Returns what the processes learn, and the entry, as text. */
const predict = (steps: readonly Step[], now: number): string => {
  const entry: Entry = { state: 'stored', holder: undefined, dueAt: start, attempts: 0 }
  apply(entry, first, start)
  const learned = steps.map((step) => [step, apply(entry, step, now)] as const)
  return format(learned, entry)
}

/**
 * Applies one of two steps that run at once. The other one meets its lock and does not wait: a claim finds nothing, and a renewal
 * still believes in the claim that it has read, which costs nothing, because each later step checks the token.
 */
const predictSkipped = ({ skipped, applied }: { skipped: Step; applied: Step }, now: number): string => {
  const entry: Entry = { state: 'stored', holder: undefined, dueAt: start, attempts: 0 }
  apply(entry, first, start)
  const learned = [
    [applied, apply(entry, applied, now)],
    [skipped, skipped.what === 'renew'],
  ] as const
  return format(learned, entry)
}

const toText = ({ what, by }: Step): string => `${by} ${what}s`

const format = (
  learned: readonly (readonly [Step, boolean])[],
  { state, dueAt, attempts }: Omit<Entry, 'holder'>,
): string => {
  const parts = learned.map(([step, isDone]) => `${toText(step)}: ${isDone}`).toSorted()
  return [...parts, `${state} ${attempts} ${state === 'handled' ? '' : dueAt - start}`.trim()].join(', ')
}

const steps = (['claim', 'renew', 'complete', 'fail'] as const).flatMap((what) =>
  (['a', 'b'] as const).map((by): Step => ({ what, by })),
)

/** Lists the orders of some steps. A process does nothing with an entry that it has never claimed. */
const listOrders = (length: number): Step[][] =>
  length === 0
    ? [[]]
    : listOrders(length - 1).flatMap((before) =>
        steps.flatMap((step) => {
          const isKnown = [first, ...before].some(({ what, by }) => what === 'claim' && by === step.by)
          return step.what === 'claim' || isKnown ? [[...before, step]] : []
        }),
      )

type Opened = {
  readonly environment: () => Environment
  /** Opens the engine of another process. */
  readonly openEngine: (table: string) => InboxEngine
  /** The number of steps of an order. Two meet each step in each state. */
  readonly length?: number
}

export const claimOrderCases = (name: string, { environment, openEngine, length = 2 }: Opened): void => {
  const setUp = async () => {
    const { receiver, table } = receive(environment(), { table: newTable(), clock: { now: () => start } })
    await receiver.handle(toRequest(toEnd('c'), 'a'))
    let time = start
    const retention = { handledBodyMs: 1, parkedBodyMs: 1, keyMs: 1 }
    const open = () => createEntries({ table, engine: openEngine(table), retention, now: () => String(time) })
    const processes = { a: open(), b: open() }
    const claims = new Map<Process, ClaimedEntry>()

    const claim = async (by: Process, again: boolean): Promise<boolean> => {
      const [claimed] = await processes[by].claim({ again, except: [], limit: 1, claimMs })
      if (claimed !== undefined) claims.set(by, claimed)
      return claimed !== undefined
    }
    const perform = async ({ what, by }: Step): Promise<boolean> => {
      const entries = processes[by]
      if (what === 'claim') return (await claim(by, true)) || claim(by, false)
      const held = claims.get(by)
      if (held === undefined) return false
      if (what === 'renew') return (await entries.renew([held], claimMs)).has(held.id)
      if (what === 'complete') return (await entries.complete([held]))[0] === true
      return entries.settle(held, { state: 'failed', error: 'down', delayMs: 0 })
    }
    /** Lets process a claim the entry, and goes on to a later time. */
    const begin = async (now: number): Promise<void> => {
      await environment().query(
        `UPDATE ${table} SET state = 'stored', token = NULL, attempts = 0, due_at = ${start}, holds_until = NULL`,
      )
      claims.clear()
      time = start
      expect(await claim(first.by, false)).toBe(true)
      time = now
    }
    const observe = async (learned: readonly (readonly [Step, boolean])[]): Promise<string> => {
      const [row = {}] = await environment().query(`SELECT state, attempts, due_at FROM ${table}`)
      return format(learned, {
        state: String(row.state),
        attempts: Number(row.attempts),
        dueAt: Number(row.due_at),
      })
    }
    return { perform, begin, observe }
  }

  describe(`${name}: claims of two processes`, () => {
    it.each([
      ['just before it expires', claimMs - 1, listOrders(2)],
      ['when it expires', claimMs, listOrders(length)],
    ] as const)(
      'hold one entry for one of them, in every order of steps %s',
      async (_, elapsedMs, orders) => {
        const { perform, begin, observe } = await setUp()
        const now = start + elapsedMs
        for (const order of orders) {
          await begin(now)
          const learned: [Step, boolean][] = []
          for (const step of order) learned.push([step, await perform(step)])
          expect(await observe(learned), order.map(toText).join(', ')).toBe(predict(order, now))
        }
      },
    )

    it('hold one entry for one of them when two steps run at once as it expires', async () => {
      const { perform, begin, observe } = await setUp()
      const now = start + claimMs
      const actions = listOrders(1).flat()
      // A process claims nothing that it is still handling.
      const pairs = actions.flatMap((left, index) =>
        actions
          .slice(index + 1)
          .filter((right) => left.by !== right.by || ![left.what, right.what].includes('claim'))
          .map((right) => [left, right] as const),
      )
      for (const [left, right] of pairs) {
        const expected = [
          predict([left, right], now),
          predict([right, left], now),
          ...[
            { skipped: left, applied: right },
            { skipped: right, applied: left },
          ]
            .filter(({ skipped: { what } }) => what === 'claim' || what === 'renew')
            .map((pair) => predictSkipped(pair, now)),
        ]
        for (let round = 0; round < 5; round += 1) {
          await begin(now)
          const learned = await Promise.all(
            [left, right].map(async (step) => [step, await perform(step)] as const),
          )
          expect(expected, `${toText(left)} while ${toText(right)}`).toContain(await observe(learned))
        }
      }
    })
  })
}
