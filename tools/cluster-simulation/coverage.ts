// npm run simulate:coverage: prints how many lines the simulation runs in the functions of the PostgreSQL store.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'
import { drawPlan } from './src/draw-plan.ts'
import { runPlan } from './src/run-plan.ts'

const folder = resolve(import.meta.dirname, '../../packages/server/src/stores/postgres')

/** Matches files that the simulation does not use: they connect to servers, find hosts or create tables. */
const excluded = /\/(?:open-postgres|open-error|primary|database-address|warnings|migrate|schema)\.ts$/

const Coverage = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(
        z.object({
          functionName: z.string(),
          ranges: z.array(z.object({ startOffset: z.number(), endOffset: z.number(), count: z.number() })),
        }),
      ),
    }),
  ),
})
type Script = z.infer<typeof Coverage>['result'][number]

/** Returns whether each line has run, or `undefined` for a line that contains no code of a function. */
const readLines = ({ url, functions }: Script) => {
  const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'))
  const counts = new Int32Array(source.length).fill(-1)
  // The first function is the module itself. Outer functions and blocks come before inner ones.
  for (const { ranges } of functions.slice(1)) {
    for (const { startOffset, endOffset, count } of ranges) counts.fill(count, startOffset, endOffset)
  }
  let offset = 0
  return source.split('\n').map((line) => {
    const first = offset + (line.length - line.trimStart().length)
    offset += line.length + 1
    const hasCode = /\w/.test(line) && !/^\s*(?:\/\/|\/?\*)/.test(line) && (counts[first] ?? -1) >= 0
    return hasCode ? (counts[first] ?? 0) > 0 : undefined
  })
}

const runs = Number(process.argv[2] ?? 40)

if (process.env.NODE_V8_COVERAGE === undefined) {
  const written = mkdtempSync(join(tmpdir(), 'wabakit-coverage-'))
  const args = [...process.execArgv, import.meta.filename, String(runs)]
  const env = { ...process.env, NODE_V8_COVERAGE: written }
  const { status } = spawnSync(process.execPath, args, { env, stdio: 'inherit' })
  const scripts = readdirSync(written).flatMap(
    (name) => Coverage.parse(JSON.parse(readFileSync(join(written, name), 'utf8'))).result,
  )
  rmSync(written, { recursive: true })
  let all = 0
  let covered = 0
  for (const script of scripts) {
    if (!script.url.startsWith(`file://${folder}/`) || excluded.test(script.url)) continue
    const lines = readLines(script)
    const own = lines.filter((line) => line !== undefined)
    const ran = own.filter(Boolean)
    const missed = lines.flatMap((line, index) => (line === false ? index + 1 : []))
    all += own.length
    covered += ran.length
    const name = fileURLToPath(script.url).slice(folder.length + 1)
    console.log(
      `${name.padEnd(32)} ${ran.length} of ${own.length}${missed.length > 0 ? `, missed ${missed.join(' ')}` : ''}`,
    )
  }
  console.log(`${((100 * covered) / all).toFixed(1)}% of ${all} lines of functions`)
  process.exitCode = status ?? 1
} else {
  for (let seed = 1, done = 0; done < runs; seed++) {
    const plan = drawPlan(seed)
    if (plan.engine !== 'postgres') continue
    done++
    const { violation } = await runPlan(plan)
    if (violation !== undefined) console.log(`Seed ${seed} broke an invariant: ${violation.invariant}`)
  }
  process.exit()
}
