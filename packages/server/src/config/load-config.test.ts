import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError } from './config-error.ts'
import { type ConfigSources, loadConfig } from './load-config.ts'
import { settings } from './settings.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wabakit-config-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

const load = (sources: ConfigSources = {}) => loadConfig({ environment: {}, folder, ...sources })

const writeConfig = (content: unknown, name = 'wabakit.config.json'): void =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))

const findProblems = (sources: ConfigSources) => {
  try {
    load(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
  }
  throw new Error('the configuration was accepted')
}

test('needs no settings, and listens on loopback by default', () => {
  expect(load()).toMatchObject({ host: '127.0.0.1', database: './wabakit.db', trustProxy: 0, sandbox: false })
})

test('reads a file with a byte order mark, as editors on Windows write it', () => {
  writeConfig(`\uFEFF${JSON.stringify({ port: 8 })}\r\n`)
  expect(load()).toMatchObject({ port: 8 })
})

test('prefers flags to variables, variables to the file, and the file to defaults', () => {
  writeConfig({ port: 1, trustProxy: 1, logLevel: 'warn' })
  const environment = { WABAKIT_PORT: '2', WABAKIT_TRUST_PROXY: '2' }

  expect(load({ flags: { port: '3' }, environment })).toMatchObject({
    port: 3,
    trustProxy: 2,
    logLevel: 'warn',
  })
})

test("converts the strings of flags and variables to the setting's type", () => {
  const environment = { WABAKIT_PORT: '0', WABAKIT_SANDBOX: 'true', WABAKIT_ALLOW_PRIVATE_TARGETS: '0' }

  expect(load({ environment })).toMatchObject({ port: 0, sandbox: true, allowPrivateTargets: false })
})

test('treats an empty variable as not set', () => {
  expect(load({ environment: { WABAKIT_PORT: '', WABAKIT_CONTROL_TOKEN: '' } }).port).toBe(4_100)
})

test('reports the key, its source, the valid values and the actual value', () => {
  expect(findProblems({ flags: { port: 'http' }, environment: { WABAKIT_LOG_LEVEL: 'loud' } })).toEqual([
    {
      key: 'port',
      source: '--port',
      message:
        'must be a whole number from 0 to 65535 that fetch and browsers do not block, such as 4100, not "http".',
    },
    {
      key: 'logLevel',
      source: 'WABAKIT_LOG_LEVEL',
      message: 'must be `debug`, `info`, `warn`, `error` or `silent`, not "loud".',
    },
  ])
})

test('never repeats a secret', () => {
  expect(() => load({ environment: { WABAKIT_CONTROL_TOKEN: 'hunter2' } })).toThrow(
    /^controlToken \(WABAKIT_CONTROL_TOKEN\) must be at least 16 visible ASCII characters\.$/,
  )
})

test.each(settings.filter(({ name, secret }) => secret && name !== 'database'))(
  'never repeats an invalid value of $name',
  ({ name, variable = '' }) => {
    const [problem, ...others] = findProblems({ environment: { [variable]: 'hunter2\u0007' } })
    expect([problem?.key, others]).toEqual([name, []])
    expect(JSON.stringify(problem)).not.toContain('hunter2')
  },
)

test('refuses a webhookUrl with credentials, and does not repeat them', () => {
  expect(() => load({ environment: { WABAKIT_WEBHOOK_URL: 'https://user:pass@receiver.example/' } })).toThrow(
    /^webhookUrl \(WABAKIT_WEBHOOK_URL\) must be a URL without a user name or password\.$/,
  )
})

test('refuses a webhookHeader without a name, and does not repeat it', () => {
  const environment = { WABAKIT_WEBHOOK_HEADER: 'Bearer t0ken' }
  expect(() => load({ environment })).toThrow(/must be a name and a value, such as `authorization: Bearer …`/)
  expect(() => load({ environment })).not.toThrow(/t0ken/)
  expect(load({ environment: { WABAKIT_WEBHOOK_HEADER: 'Authorization: Basic user:pass' } })).toMatchObject({
    webhookHeader: 'Authorization: Basic user:pass',
  })
})

test('reports an unknown setting in the file, and lists the valid ones', () => {
  writeConfig({ prot: 80 })

  expect(findProblems({})).toEqual([
    {
      key: 'prot',
      source: join(folder, 'wabakit.config.json'),
      message: expect.stringContaining('Valid settings are: host, port'),
    },
  ])
})

test('reports an invalid field of an organization', () => {
  writeConfig({
    organizations: [{ id: 'acme', integrations: [{ wabaNumber: '+1', joinApprovalMode: 'ask' }] }],
  })

  expect(findProblems({})[0]).toMatchObject({ key: 'organizations.0.integrations.0.joinApprovalMode' })
})

test('reads a configured file, which must exist', () => {
  writeConfig({ port: 8 }, 'other.json')

  expect(load({ file: 'other.json' }).port).toBe(8)
  expect(load({ environment: { WABAKIT_CONFIG: 'other.json' } }).port).toBe(8)
  const both = { file: 'other.json', environment: { WABAKIT_CONFIG: 'missing.json' } }
  expect(load(both).port).toBe(8)
  expect(findProblems({ file: 'missing.json' })[0]).toMatchObject({
    key: 'config',
    source: join(folder, 'missing.json'),
  })
})

test.each(['{', '[]', 'null', '"text"'])('refuses the file %j', (content) => {
  writeConfig(content)

  expect(findProblems({})[0]?.key).toBe('config')
})

test('does not repeat the text of a file that is not JSON', () => {
  writeConfig('{"controlToken": hunter2-hunter2-hunter2}')

  expect(findProblems({})).toMatchObject([{ message: "cannot be read: Unexpected token 'h'" }])
})

test.runIf(process.platform !== 'win32')('warns about secrets in a file that other users can read', () => {
  const path = join(folder, 'wabakit.config.json')
  const listWarnings = (content: object, mode: number): string[] => {
    const warnings: string[] = []
    writeConfig(content)
    chmodSync(path, mode)
    load({ onWarning: (message) => warnings.push(message) })
    return warnings
  }
  const apiKeys = [{ key: 'wk_test_key_0123456789' }]
  for (const secret of [
    { controlToken: 'a-token-of-some-length' },
    { metricsToken: 'a-token-of-some-length' },
    { operationsSecret: `whsec_${'A'.repeat(32)}` },
    { webhookHeader: 'x-webhook-token: t0ken' },
    { webhookUrl: 'https://a.example/?token=t0ken' },
    { operationsUrl: 'https://a.example/?token=t0ken' },
    { database: 'postgres://user:pass@db/x' },
    { database: 'postgres://db/x?user=user&password=pass' },
    { organizations: [{ id: 'acme', apiKeys }] },
  ]) {
    expect(listWarnings(secret, 0o644)).toEqual([expect.stringContaining(`chmod 600 ${path}`)])
    expect(listWarnings(secret, 0o600)).toEqual([])
  }
  expect(listWarnings({ port: 8, database: 'postgres://db/x?sslmode=require' }, 0o644)).toEqual([])
})

test('accepts a $schema in the file', () => {
  writeConfig({ $schema: './schema.json', port: 8 })

  expect(load().port).toBe(8)
})

test('rejects a port that no client could reach with fetch', () => {
  expect(() => load({ flags: { port: '6000' } })).toThrow(
    'port (--port) must be a whole number from 0 to 65535 that fetch and browsers do not block, such as 4100, not 6000.',
  )
})
