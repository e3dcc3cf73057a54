import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkScenario } from './check-scenario.ts'
import { addGates } from './gates.ts'
import { createOperations, type OperationName } from './operations.ts'
import recorded from './orders.json' with { type: 'json' }
import { mistakes } from './planted.ts'
import { createRace, type Operation, type Race } from './race.ts'
import { prepareRecords } from './records.ts'

// The short form of `npm run test:races`. It takes a few seconds, but on a busy machine, each of its thousands of
// session switches may wait for a processor.

let race: Race
let operations: Readonly<Record<OperationName, Operation>>

beforeAll(async () => {
  race = await createRace()
  operations = await race.prepare(async (store) => createOperations(await prepareRecords(store)))
})

afterAll(() => race[Symbol.asyncDispose]())

const pairs: ReadonlyArray<readonly OperationName[]> = [
  ['settle', 'takeOver'],
  ['takeOver', 'renew'],
  ['fail', 'remove'],
  ['resend', 'erase'],
  ['settle', 'publish'],
  ['settle', 'disable'],
  ['settle', 'settleAgain'],
  ['settle', 'cancel'],
  ['settle', 'retry'],
  ['settle', 'resend'],
  ['publish', 'publishAlso'],
  ['publish', 'disable'],
  ['erase', 'endCall'],
  ['erase', 'summarize'],
]

const minimums = new Map(Object.entries(recorded))
// All orders of an erasure and another operation, and those of most other pairs.
const maxOrders = 6

test.each(pairs)(
  `%s and %s end as they do one after the other, in up to ${maxOrders} orders of their statements`,
  async (...pair) => {
    const { violation, orders } = await checkScenario(
      race,
      pair.map((name) => operations[name]),
      { maxOrders },
    )
    expect(violation).toBeUndefined()
    expect(orders).toBeGreaterThanOrEqual(Math.min(maxOrders, minimums.get(pair.join()) ?? Infinity))
  },
)

test('finds an order in which a settlement that does not compare the epoch writes after a takeover', async () => {
  const mistake = mistakes.find(({ name }) => name === 'a settlement does not compare the epoch')
  await race.plant(mistake)
  const names = mistake?.shownBy ?? []
  const { violation } = await checkScenario(
    race,
    names.map((name) => operations[name]),
  )
  expect(violation).toContain('the former owner of a shard settles nothing after it was taken')
})

test('every planted mistake can still be planted', () => {
  for (const mistake of mistakes) expect(() => addGates(mistake)).not.toThrow()
})
