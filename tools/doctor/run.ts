import { randomBytes } from 'node:crypto'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { examineEndpoint, type Report } from '@wabakit/conformance'
import { startProcess } from '../../packages/conformance/test/start-process.ts'
import { findFreePort } from '../../packages/server/test/free-port.ts'
import { type Case, cases } from './cases.ts'
import { isInstalled, type ProgramName, programs } from './programs.ts'

// Tries the doctor on flawed and correct endpoints, written in several languages and styles.
// `--only config.ru,wsgi.py` selects programs.

const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`
const [secret, previousSecret] = [createSecret(), createSecret()]
const seed = 42

type Running = AsyncDisposable & { readonly url: string; readEffects(): string }

const start = async (program: ProgramName, environment: Case['environment']): Promise<Running> => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'wabakit-trial-'))
  const effects = join(folder.path, 'effects')
  writeFileSync(effects, '')
  const port = await findFreePort()
  const env = {
    ...process.env,
    PORT: `${port}`,
    EFFECTS: effects,
    DATABASE: join(folder.path, 'endpoint.db'),
    SECRET: secret,
    PREVIOUS_SECRET: previousSecret,
    ...{ NODE_ENV: 'production', RACK_ENV: 'production' },
    ...environment,
  }
  const command = await programs[program].start(folder.path)
  const started = await startProcess(command, { port, env, cwd: folder.path })
  return {
    url: `http://127.0.0.1:${port}`,
    readEffects: () => readFileSync(effects, 'utf8'),
    [Symbol.asyncDispose]: async () => {
      await started[Symbol.asyncDispose]()
      folder.remove()
    },
  }
}

const judgeEndpoint = async ({ program, environment }: Case): Promise<Report> => {
  await using endpoint = await start(program, environment)
  const proxied = { ...environment, TARGET_PORT: new URL(endpoint.url).port }
  await using proxy = 'DELAY_MS' in environment ? await start('proxy.js', proxied) : undefined
  return await examineEndpoint({
    url: `${(proxy ?? endpoint).url}/webhooks`,
    secret,
    previousSecret,
    seed,
    effects: () => endpoint.readEffects(),
  })
}

type Outcome = Case & { readonly report: Report; readonly seconds: number }

const judge = async (each: Case): Promise<Outcome> => {
  const beganAt = performance.now()
  const report = await judgeEndpoint(each)
  return { ...each, report, seconds: Math.round((performance.now() - beganAt) / 1000) }
}

const outcomes: Outcome[] = []

const hasFinding = ({ checks }: Report, { id, verdict }: NonNullable<Case['named']>): boolean =>
  checks.some((check) => check.id === id && check.verdict === verdict)

/** A finding is right if the correct form of the program does not get it. */
const isRight = ({ named, program, report }: Outcome): boolean => {
  if (named === undefined) return report.verdict === 'pass'
  const isCommon = outcomes.some(
    (other) => other.program === program && other.named === undefined && hasFinding(other.report, named),
  )
  return hasFinding(report, named) && !isCommon
}

/** Describes an outcome and any other findings. If it is wrong, also lists advice and inconclusive checks. */
const describe = (outcome: Outcome): string => {
  const { program, what, named, report, seconds } = outcome
  const isWrong = !isRight(outcome)
  const others = report.checks.filter(
    ({ id, verdict }) =>
      id !== named?.id && (verdict === 'fail' || (isWrong && /^(?:advice|inconclusive)$/.test(verdict))),
  )
  const name = named === undefined ? 'passes' : `${named.verdict} ${named.id}`
  return [
    `${isWrong ? 'WRONG' : 'right'}  ${program}: ${what}: ${name} (${seconds} s)`,
    ...(isWrong ? [`       expected ${name}, got verdict ${report.verdict}`] : []),
    ...others.map(({ id, verdict, observed }) => `       ${verdict} ${id}: ${observed.slice(0, 160)}`),
  ].join('\n')
}

process.once('SIGINT', () => process.exit(130))
const { values } = parseArgs({ options: { only: { type: 'string' } } })
const only = values.only?.split(',')
const names = new Set(cases.map(({ program }) => program))
const missing = [...names].filter((name) => !isInstalled(name))
for (const name of missing) console.log(`SKIPPED ${name}: \`${programs[name].needs.join(' ')}\` fails`)

const waiting = cases.filter(
  ({ program }) => !missing.includes(program) && (only === undefined || only.includes(program)),
)
const beganAt = performance.now()
const work = async (): Promise<void> => {
  for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
    const outcome = await judge(each)
    outcomes.push(outcome)
    console.log(describe(outcome))
  }
}
// More examinations run than there are processors, because they mostly wait.
await Promise.all(Array.from({ length: 2 * availableParallelism() }, work))

const count = (isCounted: (outcome: Outcome) => boolean): string => {
  const counted = outcomes.filter(isCounted)
  return `${counted.filter(isRight).length} of ${counted.length}`
}
console.log(
  `${count(({ named }) => named !== undefined)} flaws have their right name, ${count(({ named }) => named === undefined)} correct ones pass, in ${Math.round((performance.now() - beganAt) / 1000)} s.`,
)
if (!outcomes.every(isRight)) process.exitCode = 1
