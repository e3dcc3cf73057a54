import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type AttemptLine, readLines } from './lines.ts'
import { checkOwners } from './owner-rules.ts'
import { startRecorder } from './recorder.ts'

const folder = mkdtempSync(join(tmpdir(), 'wabakit-attempts-'))
afterEach(() => rmSync(folder, { recursive: true }))

/** Attempts an event on one connection, stops, and attempts it on another. */
const sender = /* js */ `
  const { Agent } = require('undici')
  const [first, second] = [new Agent(), new Agent()]
  const post = (dispatcher, id, signal) =>
    dispatcher.request({ origin: process.argv[1], path: '/', method: 'POST', headers: { 'webhook-id': id }, body: '{}', signal })
      .then(({ body }) => body.text()).catch(() => {})
  process.on('message', async () => {
    await post(first, 'evt_1', AbortSignal.timeout(50))
    await post(second, 'evt_1')
    process.exit()
  })
  Promise.all([post(first, 'evt_2'), post(second, 'evt_3')]).then(() => process.send('connected'))
`

test('consecutive attempts do not overlap, even if the endpoint sees them at the same time', async () => {
  const file = join(folder, 'attempts.jsonl')
  const recorder = await startRecorder(join(folder, 'arrivals.jsonl'), (response) => response.end('ok'))
  const preload = join(import.meta.dirname, 'preload/log-attempts.ts')
  const child = spawn(
    process.execPath,
    ['--conditions=@wabakit/source', '--import', preload, '-e', sender, recorder.url],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, WABAKIT_ATTEMPTS: file, WABAKIT_PROCESS: 'one' },
    },
  )
  const exited = once(child, 'exit')
  await once(child, 'message')
  await new Promise((resolve) => child.send('go', resolve))
  // The endpoint is as busy as on a machine with other work.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  await exited
  await recorder.close()
  const lines = readLines<AttemptLine>(file)
  expect(lines.slice(-4).map(({ begun }) => begun?.id)).toEqual(['evt_1', undefined, 'evt_1', undefined])
  const rules: string[] = []
  checkOwners({ log: [], deliveries: [], attempts: lines, ends: [] }, (rule) => rules.push(rule))
  expect(rules).toEqual([])
})
