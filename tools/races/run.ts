import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { checkScenario } from './check-scenario.ts'
import { createOperations, type OperationName } from './operations.ts'
import recorded from './orders.json' with { type: 'json' }
import { mistakes } from './planted.ts'
import { createRace } from './race.ts'
import { prepareRecords } from './records.ts'
import { maxSwitches, scenarios } from './scenarios.ts'

/**
 * Runs store operations on PostgreSQL in every order of their statements that can make a difference. `maxSwitches` limits
 * the scenarios with too many of them.
 *
 *   npm run test:races
 *   npm run test:races -- settle,takeOver publish,settle,disable
 *   npm run test:races -- --planted
 *   npm run test:races -- --update
 *
 * A scenario with fewer orders than recorded in `orders.json` fails, because a statement that is not recognized gets no
 * gate, and the orders around it are not run. `--update` records what was run.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    planted: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    part: { type: 'string', default: '1/1' },
  },
})

const started = performance.now()
const seconds = (): string => `${Math.round((performance.now() - started) / 1_000)} s`
const [part = 1, parts = 1] = values.part.split('/').map(Number)
const isMine = (_: unknown, index: number): boolean => index % parts === part - 1
const parse = (names: string): OperationName[] => names.split(',') as OperationName[]

await using race = await createRace()
const operations = await race.prepare(async (store) => createOperations(await prepareRecords(store)))
let failures = 0
if (values.planted) {
  for (const mistake of mistakes.filter(isMine)) {
    await race.plant(mistake)
    const { orders, violation } = await checkScenario(
      race,
      mistake.shownBy.map((name) => operations[name]),
    )
    if (violation === undefined) failures++
    const broken = violation?.split('\n').find((line) => line.startsWith('Broken'))
    console.log(`${mistake.name}: ${broken ?? 'missed'} (${orders} orders, ${seconds()})`)
  }
} else {
  let total = 0
  const minimums = new Map(Object.entries(recorded))
  const chosen = positionals.length > 0 ? positionals.map(parse) : scenarios.filter(isMine)
  for (const names of chosen) {
    const { orders, givenUp, violation } = await checkScenario(
      race,
      names.map((name) => operations[name]),
      { maxSwitches: maxSwitches[names.join()] },
    )
    total += orders
    console.log(`${names.join(', ')}: ${orders} orders (and ${givenUp} given up), ${seconds()}`)
    const minimum = minimums.get(names.join())
    if (violation !== undefined) {
      failures++
      console.error(violation)
    } else if (values.update) {
      minimums.set(names.join(), orders)
    } else if (minimum === undefined || orders < minimum) {
      failures++
      console.error(`${minimum ?? 'No'} orders are recorded. If fewer are right, run it again with --update.`)
    }
  }
  if (values.update) {
    const file = new URL('orders.json', import.meta.url)
    await writeFile(file, `${JSON.stringify(Object.fromEntries(minimums), null, 2)}\n`)
  }
  console.log(`${total} orders of ${chosen.length} scenarios in ${seconds()}; ${failures} failed`)
}
process.exitCode = failures === 0 ? 0 : 1
