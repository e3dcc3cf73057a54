import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { secret, startEndpoint } from './endpoint.ts'

const root = resolve(import.meta.dirname, '../../..')
const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')

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
  const [, snippet = ''] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? []
  const code = snippet
    .replace('http://127.0.0.1:3000/webhooks', endpoint.url)
    .replace('127.0.0.1:3000/debug', `127.0.0.1:${(effects.address() as AddressInfo).port}`)
    // Some checks. All of them take half a minute.
    .replace('effects:', "only: ['accepts-genuine', 'handles-duplicate-once', 'refuses-unsigned'], effects:")
  writeFileSync(join(folder, 'endpoint.test.ts'), code)
  writeFileSync(
    join(folder, 'other.test.ts'),
    code.replace('process.env.WABAKIT_WEBHOOK_SECRET', "'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'"),
  )
  const conditions = ['@wabakit/source', 'module', 'node']
  const config = { resolve: { conditions }, ssr: { resolve: { conditions } } }
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`)
  const run = async (file: string, ...options: readonly string[]) => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const args = ['--conditions=@wabakit/source', vitest, 'run', file, '--root', folder, ...options]
    const env = { ...process.env, VITEST: undefined, WABAKIT_WEBHOOK_SECRET: secret }
    const child = spawn(process.execPath, args, { env })
    const [code, printed, errors] = await Promise.all([
      once(child, 'close').then(([exitCode]) => exitCode),
      text(child.stdout),
      text(child.stderr),
    ])
    return { code, output: printed + errors }
  }
  // A busy machine can leave a check inconclusive.
  const [passed, failed] = await Promise.all([run('endpoint.test.ts', '--retry=4'), run('other.test.ts')])
  expect(passed.code, passed.output).toBe(0)
  expect(failed).toMatchObject({ code: 1, output: expect.stringContaining('accepts-genuine') })
})
