import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { takeBlocks } from '../../../tools/code-blocks.ts'
import { secret, startEndpoint } from './endpoint.ts'

// It runs vitest, which takes longer on a busy machine.

const root = resolve(import.meta.dirname, '../../..')

test('the snippet of the README passes on an endpoint without mistakes, and fails with the report on another', async () => {
  await using endpoint = await startEndpoint()
  const effects = createServer((_, response) => response.end(endpoint.effects.join('\n'))).listen(
    0,
    '127.0.0.1',
  )
  onTestFinished(() => void effects.close())
  await once(effects, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-conformance-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const [snippet] = takeBlocks(import.meta.filename, 1)
  const code = (snippet?.code ?? '')
    .replace('http://127.0.0.1:3000/webhooks', endpoint.url)
    .replace('127.0.0.1:3000/debug', `127.0.0.1:${(effects.address() as AddressInfo).port}`)
    // Some checks. All of them take more than a minute.
    .replace('effects:', "only: ['accepts-genuine', 'handles-duplicate-once', 'refuses-unsigned'], effects:")
  writeFileSync(join(folder, 'endpoint.test.ts'), code)
  writeFileSync(
    join(folder, 'other.test.ts'),
    code.replace('process.env.WABAKIT_WEBHOOK_SECRET', "'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'"),
  )
  const conditions = ['@wabakit/source', 'module', 'node']
  const config = { resolve: { conditions }, ssr: { resolve: { conditions } } }
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  // A busy machine can leave a check inconclusive.
  const options = ['--retry=4', '--reporter=json', '--outputFile=report.json']
  const args = ['--conditions=@wabakit/source', vitest, 'run', '--root', folder, ...options]
  const env = { ...process.env, VITEST: undefined, WABAKIT_WEBHOOK_SECRET: secret }
  const child = spawn(process.execPath, args, { env })
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const { testResults } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
  const results = new Map<string, { status: string }>(
    testResults.map((result: { name: string }) => [basename(result.name), result]),
  )
  expect(results.get('endpoint.test.ts')?.status, printed + errors).toBe('passed')
  const failed = results.get('other.test.ts')
  expect([failed?.status, JSON.stringify(failed)]).toEqual([
    'failed',
    expect.stringContaining('accepts-genuine'),
  ])
})
