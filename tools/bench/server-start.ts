import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Contender, findRow, measure } from './src/measure.ts'
import { publish } from './src/result.ts'

const built = resolve(import.meta.dirname, '../../packages/server/dist/index.js')
if (!existsSync(built)) throw new Error('packages/server/dist is missing. Run `npm run build` first.')

const program = `
  const { startServer } = await import(${JSON.stringify(built)})
  const { url } = await startServer({ port: 0, database: process.argv[1], logLevel: 'silent' })
  process.stdout.write(url + '\\n')
`

const isReady = async (url: string): Promise<boolean> => (await fetch(`${url}/readyz`)).ok

/** Waits until a process is ready, then kills it. */
const startOnce = async (child: ChildProcess): Promise<void> => {
  if (child.stdout === null) throw new Error('The server has no output.')
  const [line] = await once(child.stdout, 'data')
  if (!(await isReady(String(line).trim()))) throw new Error('The server is not ready.')
  child.kill('SIGKILL')
}

const server: Contender = {
  name: 'wabakit on SQLite, ready',
  floor: 'node, empty program',
  readCpu: () => NaN,
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
  name: 'node, empty program',
  readCpu: () => NaN,
  run: async (count) => {
    for (let turn = 0; turn < count; turn += 1) {
      await once(spawn(process.execPath, ['--eval', '0'], { stdio: 'ignore' }), 'exit')
    }
  },
}

const rows = await measure([nothing, server], { rounds: 15, count: 1 })
publish({
  name: 'server-start',
  title: 'Starting a server',
  about: `The time from the start of the process until \`/readyz\` succeeds, with a new SQLite database each time. This measures the
built package, so run \`npm run build\` first.`,
  unit: 'time',
  rows,
  goals: [
    {
      id: 'P8',
      what: 'ms to start a server on SQLite',
      result: findRow(rows, server.name).time / 1_000,
      limit: { atMost: 200 },
    },
  ],
})
