import { expect, it, onTestFinished, vi } from 'vitest'
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
    await expect.poll(() => done.has(`${index}`)).toBe(true)
    costs.push((await readCost()) - before)
  }
  gate.resolve()
  await receiver.stop()
  // The first events wait until the lane is out of the way.
  return Math.min(...costs.slice(2))
}

type Unit = Pick<Cost, 'readCost'> & { readonly environment: () => Environment }

/** Tests that an event that fails again costs less than the limit, which is in the unit of `readCost`. */
export const failureCostCases = (
  name: string,
  { failure, environment, readCost }: Unit & { readonly failure: number },
): void => {
  it(`${name}: an event that fails again costs the same, whatever the length of its lane`, async () => {
    // Retries have the shortest delays.
    const random = vi.spyOn(Math, 'random').mockReturnValue(0)
    onTestFinished(() => random.mockRestore())
    const opened = environment()
    const { receiver, table } = receive(opened, { pollMs: 100 })
    const costs: number[] = []
    receiver.onAny(async () => {
      costs.push(await readCost())
      throw new Error('down')
    })
    await receiver.handle(toRequest(toJoin('hot'), 'head'))
    const [{ subject = '' } = {}] = await opened.query(`SELECT subject FROM ${table}`)
    const toRow = (n: number) => `'s${n}', '${subject}', 'stored', ${n}, ${n}, 0`
    await insert(opened, { table, count: 8_000, toRow })
    receiver.start()
    // The first failure puts the lane out of the way.
    const findLeast = () => Math.min(...costs.slice(2).map((spent, index) => spent - (costs[index + 1] ?? 0)))
    await expect.poll(findLeast).toBeLessThan(failure)
    await receiver.stop()
  })
}

/** Tests that an event costs the same on a table with many entries. `slack` is in the unit of `readCost`. */
export const eventCostCases = (
  name: string,
  { slack, environment, ...cost }: Cost & Unit & { readonly slack: number },
): void => {
  it(`${name}: an event costs the same, whatever waits, was handled or is retried`, async () => {
    const measure = (count: number) =>
      measureEvents(environment(), cost, { handled: count, lane: count, retries: count })
    expect(await measure(8_000)).toBeLessThan(3 * (await measure(100)) + slack)
  })
}
