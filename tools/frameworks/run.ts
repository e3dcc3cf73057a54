import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { generateSecret } from '@wabakit/webhooks'
import { type Framework, frameworks, getRoutes } from './frameworks.ts'
import { installExample, packPackages, readVersion } from './install.ts'
import { type Result, readResults, writeResults } from './page.ts'
import { checks } from './script.ts'
import { runScript, startExample } from './start.ts'

// Installs, builds and starts the example of every framework with the packed packages, and sends each the same requests.
// `--only fastify,next` selects examples.

const makeMistake = (folder: string, { mistake }: Framework): void => {
  for (const [file, change] of Object.entries(mistake)) {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const after = change(before)
    if (after === before) throw new Error(`${file} did not change`)
    writeFileSync(path, after)
  }
}

/** Replaces the token of an example with signatures. */
const useSignatures = (folder: string, { files, mistake }: Framework): void => {
  for (const file of new Set([...files, ...Object.keys(mistake)])) {
    const path = join(folder, file)
    const code = readFileSync(path, 'utf8')
    const signed = code.replace(
      /urlToken\(\{ token: \(\) => (.*) \}\)/g,
      'standardWebhooks({ secrets: () => [$1] })',
    )
    writeFileSync(path, signed.replace('urlToken', 'standardWebhooks'))
  }
}

/**
 * Runs the checks on one example, first with its token, then with signatures. Returns its version and the
 * failed checks, by route.
 */
const checkFramework = async (framework: Framework, packages: Record<string, string>) => {
  const folder = await installExample(framework.example, packages)
  makeMistake(folder, framework)
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const build = async (): Promise<void> => {
    for (const script of ['typecheck', 'build']) if (scripts[script]) await runScript(folder, script)
  }

  const secret = generateSecret()
  const failures: { check: string; problem: string }[] = []
  const { command } = framework
  const runChecks = async (selected: Partial<typeof checks>, configured: string): Promise<void> => {
    const started = await startExample(folder, { secret: configured, command })
    for (const route of getRoutes(framework)) {
      for (const [name, check] of Object.entries(selected)) {
        try {
          await check({ ...started, framework, route, secret })
        } catch (error) {
          const problem = error instanceof Error ? error.message : String(error)
          failures.push({ check: name + route.suffix, problem })
        }
      }
    }
    await started.stop()
    if (failures.length > 0) console.log(started.readOutput())
  }
  const { secret: withoutSecret, ...others } = checks
  await build()
  await runChecks({ secret: withoutSecret }, '')
  // Some frameworks keep nothing of a body that a route has parsed.
  const { parsed: _, ...withToken } = others
  await runChecks(withToken, secret)
  useSignatures(folder, framework)
  await build()
  const { testEvent: __, live: ___, ...withSignatures } = others
  await runChecks(withSignatures, secret)
  return { version: readVersion(folder, framework.package), failures }
}

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const only = values.only?.split(',')
const packages = await packPackages()
const committed = readResults()
const results = new Map<string, Result>(Object.entries(committed))
const unchecked = frameworks.filter(({ example }) => !only || only.includes(example)).values()

/** Checks examples until all are checked. */
const checkExamples = async (): Promise<void> => {
  for (const framework of unchecked) {
    const { example, title } = framework
    const began = performance.now()
    const { version, failures } = await checkFramework(framework, packages).catch((error) => ({
      version: '–',
      failures: [{ check: 'start', problem: error instanceof Error ? error.message : String(error) }],
    }))
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    console.log(`${failures.length > 0 ? 'FAILED' : 'ok    '} ${title} ${version} (${seconds} s)`)
    for (const { check, problem } of failures) console.log(`       ${check}: ${problem}`)
    results.set(example, { version, failed: failures.map(({ check }) => check) })
    writeResults(Object.fromEntries(results))
  }
}
// Two at once: while one installs or waits for its server, the other can use the CPU.
await Promise.all([checkExamples(), checkExamples()])
const differing = [...results].filter(
  ([example, { failed }]) => `${failed}` !== `${committed[example]?.failed}`,
)
if (differing.length > 0) {
  console.log(
    'Different from docs/reference/frameworks.md:',
    differing.map(([example]) => example).join(', '),
  )
  process.exitCode = 1
}
