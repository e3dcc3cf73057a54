import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import { takeBlocks } from '../../../../tools/code-blocks.ts'
import { findFreePort } from '../free-port.ts'
import { isMatrix } from '../programs.ts'
import { command, folder } from './wabakit.ts'

// Each job starts a dozen processes, which takes longer on a busy machine.

const root = resolve(import.meta.dirname, '../../../..')
const [actions = '', gitlab = ''] = takeBlocks(import.meta.filename, 2).map(({ code }) => code)

const Variables = z.optional(z.record(z.string(), z.string()))
const Workflow = z.object({
  env: Variables,
  jobs: z.record(
    z.string(),
    z.object({ steps: z.array(z.object({ run: z.optional(z.string()), env: Variables })) }),
  ),
})
const Job = z.object({
  script: z.array(z.string()),
  variables: Variables,
  services: z.optional(z.array(z.object({ command: z.array(z.string()) }))),
})
const Pipeline = z.catchall(
  z.object({ default: z.object({ before_script: z.array(z.string()) }), variables: Variables }),
  Job,
)

/** The project of the page: its endpoint, what prints the effects, and a suite that needs the service's address and key. */
const files = {
  'server.ts': `
    import { appendFileSync } from 'node:fs'
    import { createServer } from 'node:http'
    import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'
    import { toNodeHandler } from 'wabakit/webhooks/node'
    const receiver = createReceiver({ verify: urlToken({ token: process.env.WEBHOOK_TOKEN }), dedupe: memoryDedupe() })
    receiver.onAny((event) => appendFileSync('effects.log', (event.callId ?? event.groupId) + '\\n'))
    createServer(toNodeHandler(receiver)).listen(process.env.PORT, '127.0.0.1')`,
  'effects.js': `
    import { existsSync, readFileSync } from 'node:fs'
    if (existsSync('effects.log')) process.stdout.write(readFileSync('effects.log'))`,
  'suite.ts': `
    import { appendFileSync } from 'node:fs'
    import { createClient } from 'wabakit'
    const wabaNumber = process.env.WABAKIT_WABA_NUMBER ?? '+14045550112'
    const { groupId } = await createClient().groups.create({ wabaNumber, subject: 'Order 1042' })
    appendFileSync('suite.log', groupId + '\\n')`,
  'package.json': '{ "type": "module" }',
}

/** Scripts that replace npm and npx. They run our sources instead of downloading packages. */
const programs = {
  npm: 'case "$1" in ci) ;; start) exec node server.ts ;; test) exec node suite.ts ;; *) exit 1 ;; esac',
  npx: `[ "$1" != --yes ] || shift; shift; exec node ${command.join(' ')} "$@"`,
}

const running = new Set<ChildProcess>()
afterEach(() => {
  for (const child of running) {
    // The whole group: what a step leaves in the background runs on.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  running.clear()
})

const createProject = async () => {
  const project = mkdtempSync(join(folder, 'ci-'))
  const bin = join(project, 'bin')
  mkdirSync(bin)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(project, name), content)
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  const [port, mockPort] = [await findFreePort(), await findFreePort()]
  const adapt = (text: string): string =>
    text
      .replaceAll('3000', String(port))
      .replaceAll(/(?<=127\.0\.0\.1:|--port )4100/g, String(mockPort))
      .replace('mock:4100', `127.0.0.1:${mockPort}`)
      .replace('0.0.0.0', '127.0.0.1')
  const environment = {
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    PATH: [bin, process.env.PATH].join(delimiter),
    NODE_OPTIONS: '--conditions=@wabakit/source',
    PORT: String(port),
    // Some severe checks. All would take a minute.
    WABAKIT_ONLY: 'accepts-genuine,accepts-every-event,handles-duplicate-once,refuses-missing-token',
  }
  const log = join(project, 'log')
  /** Starts a script in a process group of its own. It resolves to the exit code, although its background goes on. */
  const start = (script: string, variables: NodeJS.ProcessEnv = {}): Promise<unknown> => {
    const output = openSync(log, 'a')
    const child = spawn('bash', ['-eo', 'pipefail', '-c', script], {
      cwd: project,
      detached: true,
      env: { ...environment, ...variables },
      stdio: ['ignore', output, output],
    })
    running.add(child)
    return once(child, 'exit').then(([code]) => {
      if (!/ &$/m.test(script)) running.delete(child)
      return code
    })
  }
  const run = async (script: string, variables: NodeJS.ProcessEnv): Promise<void> => {
    let code = await start(script, variables)
    // The doctor leaves checks open, and exits with 4, while this machine is too busy to tell.
    for (let repeats = 0; code === 4 && repeats < 4; repeats += 1) code = await start(script, variables)
    expect(code, `${script}\n${readFileSync(log, 'utf8')}`).toBe(0)
  }
  const read = (name: string): string => readFileSync(join(project, name), 'utf8')
  return { adapt, mockPort, start, run, read }
}

const isWindows = process.platform === 'win32'

test.skipIf(isWindows)('the steps for GitHub Actions run, and leave a report as SARIF', async () => {
  const { adapt, run, read } = await createProject()
  const { env, jobs } = Workflow.parse(parse(adapt(actions)))
  for (const { steps } of Object.values(jobs))
    for (const step of steps) if (step.run !== undefined) await run(step.run, { ...env, ...step.env })
  expect(JSON.parse(read('doctor.sarif'))).toMatchObject({ runs: [{ results: [] }] })
  expect(read('suite.log').trim().split('\n')).toHaveLength(3)
})

// They run the same commands as the steps above, in other words.
test.skipIf(isWindows || !isMatrix)('the jobs for GitLab run, and leave a report as JUnit', async () => {
  const { adapt, mockPort, start, run, read } = await createProject()
  const { default: common, variables, ...jobs } = Pipeline.parse(parse(adapt(gitlab)))
  for (const job of Object.values(jobs)) {
    for (const service of job.services ?? []) {
      void start(service.command.join(' '), { WABAKIT_PORT: String(mockPort) })
      await expect
        .poll(() => fetch(`http://127.0.0.1:${mockPort}/`).then(({ status }) => status, String))
        .toBe(404)
    }
    const script = [...common.before_script, ...job.script].join('\n')
    await run(script, { ...variables, ...job.variables })
  }
  expect(read('doctor.xml')).toMatch(/<testsuites? [^>]*failures="0"/)
  expect(read('suite.log').trim().split('\n')).toHaveLength(3)
})
