import { spawnSync } from 'node:child_process'
import { closeSync, openSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { command, folder, wabakit, wabakitHere } from './wabakit.ts'

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`
const payload = '{"event":"CALL_ENDED","callId":"call-1"}'

test('verify accepts what sign signs, and reports a wrong secret or an old timestamp as the cause', async () => {
  writeFileSync(join(folder, 'payload.json'), payload)
  const env = { WABAKIT_WEBHOOK_SECRET: secret }
  const [piped, old] = await Promise.all([
    wabakitHere(['sign', '--secret', secret, '--id', 'msg_1'], { input: payload }),
    wabakitHere(['sign', 'payload.json', '--timestamp', '1700000000', '--format', 'json'], { env }),
  ])
  expect(piped).toMatchObject({ code: 0, stderr: '' })
  const headers = piped.stdout.trimEnd().split('\n')
  expect(headers).toEqual([
    'content-type: application/json',
    'webhook-id: msg_1',
    expect.stringMatching(/^webhook-timestamp: \d{10}$/),
    expect.stringMatching(/^webhook-signature: v1,/),
  ])
  const oldHeaders = Object.entries(JSON.parse(old.stdout)).map(([name, value]) => `${name}: ${value}`)

  const given = (lines: readonly string[]) => lines.flatMap((line) => ['--header', line])
  const [valid, wrong, tooOld, tolerated, changed, noSecret] = await Promise.all([
    // The lines of a log from Windows end in a carriage return.
    wabakitHere([
      ...['verify', '--secret', other, '--secret', secret],
      ...[...given(headers.map((line) => `${line}\r`)), 'payload.json'],
    ]),
    wabakitHere(['verify', '--secret', other, ...given(headers), '--format', 'json'], { input: payload }),
    wabakitHere(['verify', ...given(oldHeaders), 'payload.json'], { env }),
    wabakitHere(['verify', ...given(oldHeaders), '--tolerance', '9999999999', 'payload.json'], { env }),
    wabakitHere(['verify', ...given(headers)], { env, input: `${payload} ` }),
    wabakitHere(['verify', '--secret', 'whsec_!', ...given(headers)], { input: payload }),
  ])
  expect(valid).toEqual({ code: 0, stdout: 'valid msg_1\n', stderr: '' })
  expect(wrong.code).toBe(1)
  expect(JSON.parse(wrong.stdout)).toEqual({
    valid: false,
    reason: 'no_matching_signature',
    cause: 'wrong_secret',
  })
  expect(wrong.stderr).toContain('secret')
  expect(wrong.stderr).not.toContain(other)
  expect(tooOld).toMatchObject({ code: 1, stdout: 'not valid timestamp_too_old\n' })
  expect(tolerated).toMatchObject({ code: 0, stderr: '' })
  expect(changed).toMatchObject({ code: 1, stdout: 'not valid no_matching_signature\n' })
  expect(noSecret).toMatchObject({ code: 2, stdout: '' })
})

test('the documents of the service are printed as JSON', async () => {
  const [openapi, asyncapi, schemas] = await Promise.all(
    ['openapi', 'asyncapi', 'schemas'].map((name) => wabakitHere([name, '--format', 'json'])),
  )

  expect(JSON.parse(openapi?.stdout ?? '')).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) })
  expect(JSON.parse(asyncapi?.stdout ?? '')).toMatchObject({ asyncapi: expect.stringMatching(/^3\./) })
  expect(Object.keys(JSON.parse(schemas?.stdout ?? ''))).not.toHaveLength(0)
  expect(openapi?.stdout.split('\n')).toHaveLength(2)
})

test('a usage error exits with 2 and explains the problem', async () => {
  const cases: [args: string[], complaint: RegExp][] = [
    [['doctr'], /unknown command 'doctr'\n\(Did you mean doctor\?\)/],
    [['trigger'], /missing required argument 'what'/],
    [['trigger', 'call', '--set', 'novalue'], /--set takes path=value/],
    [['trigger', 'CALL_VANISHED'], /Unknown event: CALL_VANISHED\. Trigger call, or one of: GROUP_CREATED, /],
    [['listen'], /--forward-to/],
    [['listen', '--forward-to', 'ftp://127.0.0.1/'], /must be an http or https URL/],
    [['ready', '--server', 'ftp://127.0.0.1/'], /must be an http or https URL/],
    [
      ['listen', '--forward-to', 'http://127.0.0.1/', '--header', 's3cret'],
      /--header must be a name and a value/,
    ],
    [
      ['listen', '--forward-to', 'http://192.0.2.1/', '--header', 'x-token: t0ken'],
      /192\.0\.2\.1 would receive them unencrypted/,
    ],
    [['listen', '--forward-to', 'http://127.0.0.1/', '--secret', 'whsec_short'], /^The secret is not base64/],
    [['ready', '--server', 'http://me:s3cret@127.0.0.1/'], /^A URL must not .+--control-token.*\n$/],
    [['resend'], /Name one delivery, or select deliveries/],
    [['resend', '--from', 'yesterday'], /must be an ISO 8601 date-time/],
    [['deliveries', 'cancel', '--before', '5'], /must be an ISO 8601 date-time/],
    [['deliveries', 'cancel'], /Name one delivery, or select deliveries/],
    [['events', 'list', '--before', 'tomorrow'], /must be an ISO 8601 date-time/],
    [['verify', '--secret', secret, '--header', 'nonsense'], /--header must be a name and a value/],
    [['sign'], /'--secret <secret>' not specified\. Pass it, or set WABAKIT_WEBHOOK_SECRET\./],
  ]
  const ends = await Promise.all(cases.map(([args]) => wabakitHere(args)))

  for (const [index, [, complaint]] of cases.entries()) {
    expect(ends[index]).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(complaint) })
  }
})

test('backup copies a SQLite file, and names the tool for PostgreSQL without printing the password', async () => {
  const from = join(folder, 'source.db')
  await sqliteStore({ path: from }).close()
  const url = 'postgres://wabakit:s3cret@db.internal/wabakit'
  const [copied, postgres, nowhere] = await Promise.all([
    wabakitHere(['backup', 'copy.db', '--database', from, '--format', 'json']),
    wabakitHere(['backup'], { env: { WABAKIT_DATABASE: url } }),
    wabakitHere(['backup', '--database', ':memory:']),
  ])

  expect(copied).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/secrets.*\nTo restore it, stop the server/),
  })
  const to = join(realpathSync(folder), 'copy.db')
  expect(JSON.parse(copied.stdout)).toEqual({ from, to, bytes: statSync(to).size })
  expect(postgres).toMatchObject({ code: 2, stderr: expect.stringContaining('pg_dump --format=custom') })
  expect(postgres.stderr).toContain('postgres://wabakit@db.internal/wabakit')
  expect(postgres.stderr).not.toContain('s3cret')
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('Name a file') })
})

// macOS and Windows have no /dev/full.
test.runIf(process.platform === 'linux')('a result that cannot be written exits with 1', () => {
  const full = openSync('/dev/full', 'w')
  const { status, stderr } = spawnSync(process.execPath, [...command, 'openapi'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  closeSync(full)

  expect([status, stderr]).toEqual([1, expect.stringMatching(/^The output cannot be written: ENOSPC.+\n$/)])
})

test('an unreachable server exits with 3', async () => {
  const env = { WABAKIT_SERVER: 'http://127.0.0.1:9' }
  const [trigger, tail, ready] = await Promise.all([
    wabakitHere(['trigger', 'call'], { env }),
    wabakitHere(['events', 'tail'], { env }),
    wabakitHere(['ready', '--wait', '0.2'], { env }),
  ])

  expect(trigger).toMatchObject({ code: 3, stderr: expect.stringMatching(/^Cannot reach a server at http:/) })
  expect(tail.code).toBe(3)
  expect(ready).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 is not ready/),
  })
})

test.each([
  [['deliv'], ['deliveries']],
  [
    ['deliveries', 're'],
    ['resend', 'retry'],
  ],
  [['deliveries', 'list', '--st'], ['--status']],
  [
    ['overview', '--window', ''],
    ['hour', 'day', 'week'],
  ],
])('completes %j', async (words, candidates) => {
  const { code, stdout } = await wabakit(['complete', '--', ...words])
  expect(code).toBe(0)
  expect(stdout.split('\n').flatMap((line) => /^([^:\t]+)\t/.exec(line)?.[1] ?? [])).toEqual(candidates)
})

test('prints a script for each shell, which asks the program', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await wabakit(['complete', shell])
    expect([code, stdout]).toEqual([0, expect.stringContaining('wabakit complete -- ')])
  }
})
