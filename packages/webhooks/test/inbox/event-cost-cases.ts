import { describe, expect, it } from 'vitest'
import { type Environment, receive, toJoin, toRequest } from './environment.ts'

type Cost = {
  readonly readCost: () => Promise<number>
  /** Returns the statements that compute the planner's statistics of a table, and keep them. */
  readonly analyze: (table: string) => readonly string[]
}
type Backlog = { readonly handled: number; readonly lane: number; readonly retries: number }

/** Fills a table in statements of a thousand rows, which every database takes. */
const insert = async (
  { query }: Environment,
  { table, count, toRow }: { table: string; count: number; toRow: (n: number) => string },
) => {
  const body = JSON.stringify(toJoin('hot'))
  for (let from = 0; from < count; from += 1_000) {
    const size = Math.min(1_000, count - from)
    const rows = Array.from({ length: size }, (_, index) => `(${toRow(from + index)}, '', '${body}', '[]')`)
    await query(
      `INSERT INTO ${table} (event_key, subject, state, due_at, received_at, attempts, source, body, headers) VALUES ${rows.join()}`,
    )
  }
}

/**
 * Returns what storing and handling an event costs at least, next to a lane that is busy, retries that are due, and handled
 * entries.
 */
const measureEvents = async (
  environment: Environment,
  { readCost, analyze }: Cost,
  { handled, lane, retries }: Backlog,
): Promise<number> => {
  const { receiver, table } = receive(environment)
  const gate = Promise.withResolvers<void>()
  const done = new Set<unknown>()
  receiver.on('GROUP_PARTICIPANT_JOINED', async ({ groupId }) => {
    if (groupId === 'hot') await gate.promise
    done.add(groupId)
  })
  await receiver.handle(toRequest(toJoin('hot'), 'head'))
  const [{ subject = '' } = {}] = await environment.query(`SELECT subject FROM ${table}`)
  const fill = (count: number, toRow: (n: number) => string) => insert(environment, { table, count, toRow })
  const never = '9000000000000000, 1, 1'
  await fill(handled, (n) => `'h${n}', '${subject}', 'handled', ${never}`)
  await fill(handled, (n) => `'x${n}', 'x${n}', 'handled', ${never}`)
  await fill(lane, (n) => `'s${n}', '${subject}', 'stored', ${n}, ${n}, 0`)
  // Statistics that do not know the retries.
  for (const statement of analyze(table)) await environment.query(statement)
  await fill(retries, (n) => `'r${n}', 'r${n >> 1}', 'failed', ${n}, ${n}, 1`)
  await fill(retries, (n) => `'l${n}', 'l${n}', 'failed', ${never}`)
  receiver.start()
  const costs: number[] = []
  for (let index = 0; index < 12; index += 1) {
    const before = await readCost()
    await receiver.handle(toRequest(toJoin(`${index}`), `${index}`))
    await expect.poll(() => done.has(`${index}`), { timeout: 60_000 }).toBe(true)
    costs.push((await readCost()) - before)
  }
  gate.resolve()
  await receiver.stop()
  // The first events wait until the lane is out of the way.
  return Math.min(...costs.slice(2))
}

/** Tests that an event costs the same on a table with many entries. `slack` and the limit for a `failure` are in the unit of `readCost`. */
export const eventCostCases = (
  name: string,
  {
    slack,
    failure,
    environment,
    ...cost
  }: Cost & {
    readonly slack: number
    readonly failure: number
    readonly environment: () => Environment
  },
): void => {
  describe(`${name}: cost of an event`, () => {
    it('depends neither on the length of a busy lane, nor on handled entries, nor on retries that are due or wait', async () => {
      const measure = (count: number) =>
        measureEvents(environment(), cost, { handled: count, lane: count, retries: count })
      expect(await measure(8_000)).toBeLessThan(3 * (await measure(100)) + slack)
    })

    it('that fails again does not depend on the length of its lane', async () => {
      const { receiver, table } = receive(environment())
      const costs: number[] = []
      receiver.onAny(async () => {
        costs.push(await cost.readCost())
        throw new Error('down')
      })
      await receiver.handle(toRequest(toJoin('hot'), 'head'))
      const [{ subject = '' } = {}] = await environment().query(`SELECT subject FROM ${table}`)
      const toRow = (n: number) => `'s${n}', '${subject}', 'stored', ${n}, ${n}, 0`
      await insert(environment(), { table, count: 8_000, toRow })
      receiver.start()
      // The first failure puts the lane out of the way.
      const findLeast = () =>
        Math.min(...costs.slice(2).map((spent, index) => spent - (costs[index + 1] ?? 0)))
      await expect.poll(findLeast, { timeout: 60_000 }).toBeLessThan(failure)
      await receiver.stop()
    })
  })
}
