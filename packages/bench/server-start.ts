import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Contender, measureRounds, report } from './src/rounds.ts'

// From the start of the process to the first answer of /readyz, with an empty SQLite database each time. Measured is
// the built package (`npm run build` first), as people get it.
const built = resolve(import.meta.dirname, '../server/dist/index.js')
if (!existsSync(built)) throw new Error('Run `npm run build` first: what people get is measured.')

const program = `
  const { startServer } = await import(${JSON.stringify(built)})
  const { url } = await startServer({ port: 0, database: process.argv[1], logLevel: 'silent' })
  process.stdout.write(url + '\\n')
`

const isReady = async (url: string): Promise<boolean> => (await fetch(`${url}/readyz`)).ok

/** Starts a process, waits until it is ready, and ends it. */
const startOnce = async (child: ChildProcess): Promise<void> => {
  if (child.stdout === null) throw new Error('no output')
  const [line] = await once(child.stdout, 'data')
  if (!(await isReady(String(line).trim()))) throw new Error('not ready')
  child.kill('SIGKILL')
}

const server: Contender = {
  name: 'wabakit on SQLite, ready',
  run: async (count) => {
    for (let turn = 0; turn < count; turn += 1) {
      const folder = mkdtempSync(join(tmpdir(), 'wabakit-start-'))
      const database = join(folder, 'wabakit.db')
      await startOnce(
        spawn(process.execPath, ['--input-type=module', '--eval', program, database], {
          stdio: ['ignore', 'pipe', 'inherit'],
        }),
      )
      rmSync(folder, { recursive: true })
    }
  },
}

const nothing: Contender = {
  name: 'node, doing nothing',
  run: async (count) => {
    for (let turn = 0; turn < count; turn += 1) {
      await once(spawn(process.execPath, ['--eval', '0'], { stdio: 'ignore' }), 'exit')
    }
  },
}

const measurements = await measureRounds([nothing, server], { rounds: 15, count: 1 })
const ready = measurements[1]?.median ?? Number.NaN
console.log(`Ready ${Math.round(ready / 1e6)} ms after the start of the process.`)
report('Starting the server', 'server-start', measurements, { readyMs: ready / 1e6 })
