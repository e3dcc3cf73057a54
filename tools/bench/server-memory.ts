import { readdirSync } from 'node:fs'
import { openScenario } from './src/growth/open-scenario.ts'
import { createPostgresEngine } from './src/growth/postgres-engine.ts'
import { createSqliteEngine } from './src/growth/sqlite-engine.ts'
import { median } from './src/measure.ts'
import { type Figure, type Goal, publish } from './src/result.ts'

// `--long` extends the steady load to an hour.
const steadySeconds = process.argv.includes('--long') ? 3_600 : 60
const readings = 6
/** V8 enlarges its heap once under load, by some 30 MiB. Only the growth after that tells of a leak. */
const warmUpSeconds = 60
const most = 1_000_000
const figures: Figure[] = []
const goals: Goal[] = []

const addGoal = (what: string, result: number): void =>
  void goals.push({ id: 'P6', what, result, limit: { atMost: 1.1 } })

for (const engine of [createSqliteEngine(), await createPostgresEngine()]) {
  try {
    const used: number[] = []
    for (const pending of [1_000, most]) {
      const { server, close } = await openScenario(engine, { pending })
      try {
        const megabytes: number[] = []
        const files: number[] = []
        // After the warm-up, the server with the large backlog gets only five seconds of load.
        const seconds = pending === most ? 5 : steadySeconds
        await server.command('run', warmUpSeconds * 100)
        for (let reading = 0; reading < readings; reading += 1) {
          await server.command('run', Math.ceil((seconds * 100) / readings))
          megabytes.push((await server.command('memory')) / 2 ** 20)
          files.push(readdirSync(`/proc/${server.pid}/fd`).length)
        }
        used.push(median(megabytes))
        const name = `${engine.name}, ${pending.toLocaleString('en')} pending`
        figures.push({ name, figure: `${megabytes.map((each) => each.toFixed(0)).join(', ')} MiB` })
        if (pending === most) continue
        figures.push({ name: `${engine.name}, open files`, figure: files.join(', ') })
        const [early, late] = [megabytes.slice(1, 3), megabytes.slice(-2)]
        addGoal(
          `${engine.name}, memory after ${steadySeconds} s of load, relative to its start`,
          median(late) / median(early),
        )
      } finally {
        close()
      }
    }
    addGoal(
      `${engine.name}, memory with ${most.toLocaleString('en')} pending, relative to 1,000`,
      (used[1] ?? NaN) / (used[0] ?? NaN),
    )
  } finally {
    await engine.close()
  }
}
publish({
  name: 'server-memory',
  title: 'Memory',
  about: `The resident memory of a server after garbage collection, read ${readings} times while the server delivers 100 events a second. Next
to them, 1,000 or ${most.toLocaleString('en')} deliveries to an endpoint that never responds are due. The load on the small backlog lasts ${steadySeconds}
seconds or, with \`--long\`, an hour, after ${warmUpSeconds} seconds of the same load. Meanwhile, SQLite fills its page cache of at most
32 MiB.`,
  unit: 'time',
  figures,
  goals,
})
