import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { diagnose, generateSecret, signWebhook, verifySignature } from '../index.ts'

const secret = generateSecret()
const event = {
  event: 'GROUP_CREATED',
  groupId: 'ünïcode/1',
  inviteLink: 'https://chat.example/<x>&y',
  nested: { deeper: { first: null, second: 2 }, third: 3 },
}
const payload = JSON.stringify(event)
const { headers, id, timestamp } = await signWebhook({ payload, secret })
const given = { payload, headers, secrets: [secret] }
const findCause = async (options: Partial<Parameters<typeof diagnose>[0]>) =>
  (await diagnose({ ...given, ...options }))?.cause

const signAs = async (body: string) => (await signWebhook({ payload: body, secret })).headers
const signWith = (key: Uint8Array | string, body = payload) => {
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { ...headers, 'webhook-signature': `v1,${signature}` }
}

describe('body_was_recoded is found for', () => {
  const big = Buffer.from(`\ufeff${payload}\r\n`, 'utf16le').swap16()
  it.each([
    ['a line break at its end', `${payload}\n`],
    ['a line break of Windows at its end', `${payload}\r\n`],
    ['a byte order mark', `\ufeff${payload}`],
    ['both', new TextEncoder().encode(`\ufeff${payload}\n`)],
    ['UTF-16', Buffer.from(payload, 'utf16le')],
    ['UTF-16 of PowerShell', Buffer.from(`\ufeff${payload}\r\n`, 'utf16le')],
    ['UTF-16, the highest byte first', big],
  ])('a body with %s', async (_, arrived) => {
    expect(await findCause({ payload: arrived })).toBe('body_was_recoded')
  })
})

it.each<[string, unknown]>([
  ['no secrets', undefined],
  ['null', null],
  ['a secret that is not in a list', secret],
  ['an empty list', []],
  ['an environment variable that is not set', [process.env.WABAKIT_NOT_SET]],
  ['a second secret that is not set', [secret, undefined]],
  ['null in a list', [null]],
  ['a number', [42]],
  ['an object', [{}]],
  ['a symbol', [Symbol('secret')]],
  ['an empty secret', ['']],
  ['a prefix without a key', ['whsec_']],
])('finds that a secret is missing: %s', async (_, secrets) => {
  expect(await findCause({ secrets: secrets as string[] })).toBe('secret_is_missing')
  await expect(verifySignature({ ...given, secrets: secrets as string[] })).rejects.toMatchObject({
    name: 'WebhookVerificationError',
    reason: 'invalid_secret',
  })
})

it('finds that a body is compressed', async () => {
  expect(await findCause({ payload: gzipSync(payload) })).toBe('body_is_compressed')
})

it('finds nothing wrong with a valid delivery', async () => {
  expect(await diagnose(given)).toBeUndefined()
})

describe('body_was_reserialized is found for', () => {
  const python = payload.replaceAll('":', '": ').replaceAll(',"', ', "')
  const escaped = python.replace('ü', '\\u00fc').replace('ï', '\\u00ef')
  it.each([
    ['indentation', JSON.stringify(event, null, 2)],
    ['tabs', JSON.stringify(event, null, '\t')],
    ['the spaces of Python', python],
    ['the escapes of Python', escaped],
    ['the escaped slashes of PHP', payload.replaceAll('/', '\\/')],
    ['the escapes of Go', payload.replace('<', '\\u003c').replace('>', '\\u003e').replace('&', '\\u0026')],
    ['a final newline', `${payload}\n`],
    ['a final line end of Windows', `${payload}\r\n`],
    ['a byte order mark', `\ufeff${payload}`],
  ])('a sender that writes %s, and a body that was parsed and serialized again', async (_, sent) => {
    const options = { headers: await signAs(sent) }
    expect(await findCause(options)).toBe('body_was_reserialized')
    expect(await findCause({ ...options, payload: sent })).toBeUndefined()
  })

  it.each([' ', '\n'])('%j that was added to a body of any format', async (added) => {
    const sent = '{ "event" :"X"}'
    const options = { headers: await signAs(sent) }
    for (const arrived of [`${added}${sent}`, new TextEncoder().encode(`${added}${sent}`)])
      expect(await findCause({ ...options, payload: arrived })).toBe('body_was_reserialized')
  })

  it('changed line endings', async () => {
    const lines = JSON.stringify(event, null, 3)
    const ofWindows = lines.replaceAll('\n', '\r\n')
    for (const [sent, arrived] of [
      [lines, ofWindows],
      [ofWindows, lines],
    ] as const)
      expect(await findCause({ headers: await signAs(sent), payload: arrived })).toBe('body_was_reserialized')
  })
})

it.each([event, null, undefined, 42, '[object Object]', [payload]])(
  'body_was_parsed is found for %j',
  async (body) => {
    expect(await findCause({ payload: body })).toBe('body_was_parsed')
  },
)

it.each([
  ['at its end', [`${secret}\n`]],
  ['at its start', [` ${secret}`]],
  ['inside', [`${secret.slice(0, 12)} ${secret.slice(12)}`]],
  ['in the second secret', [secret, ` ${secret}`]],
])('secret_has_whitespace is found for whitespace %s', async (_, secrets) => {
  expect(await findCause({ secrets })).toBe('secret_has_whitespace')
})

describe('secret_of_another_format is found for', () => {
  const bytes = Buffer.from('a secret of thirty-two bytes !!!')
  it.each([
    ['a string that is the key itself', 'not-base64-but-a-password', 'not-base64-but-a-password'],
    ['a prefixed string that is the key itself', 'whsec_abcd', 'whsec_abcd'],
    ['a prefixed string whose rest is the key itself', 'whsec_abcd', 'abcd'],
    ['hexadecimal', bytes.toString('hex'), bytes],
    ['URL-safe base64', `whsec_${Buffer.alloc(32, 0xfb).toString('base64url')}`, Buffer.alloc(32, 0xfb)],
    ['another prefix', `sk_live_${bytes.toString('base64')}`, bytes],
  ])('%s', async (_, text, key) => {
    expect(await findCause({ headers: signWith(key), secrets: [text] })).toBe('secret_of_another_format')
  })

  it('a string that no scheme can read', async () => {
    expect(await findCause({ secrets: ['…'] })).toBe('secret_of_another_format')
  })
})

it('finds that a secret is too short, like verifySignature, unless that is allowed', async () => {
  const short = Buffer.alloc(16, 1)
  const options = { ...given, headers: signWith(short), secrets: [short.toString('base64')] }
  expect(await findCause(options)).toBe('secret_is_short')
  await expect(verifySignature(options)).rejects.toMatchObject({ reason: 'invalid_secret' })
  expect(await findCause({ ...options, allowShortSecrets: true })).toBeUndefined()
})

it('finds a secret that verifySignature refuses next to one that matches', async () => {
  const options = { ...given, secrets: [secret, 'not-base64-but-a-password'] }
  expect(await findCause(options)).toBe('secret_of_another_format')
  await expect(verifySignature(options)).rejects.toMatchObject({ reason: 'invalid_secret' })
})

it('clock_skew is found when only the time is wrong', async () => {
  for (const skew of [-400, 400])
    expect(await findCause({ now: () => (timestamp + skew) * 1_000 })).toBe('clock_skew')
  expect(await findCause({ now: () => (timestamp + 400) * 1_000, toleranceSeconds: 500 })).toBeUndefined()
})

it('wrong_secret is found when nothing else matches', async () => {
  expect(await findCause({ secrets: [generateSecret()] })).toBe('wrong_secret')
  expect(await findCause({ payload: payload.replace('1', '2') })).toBe('wrong_secret')
  expect(await findCause({ payload: Uint8Array.from([0xff]) })).toBe('wrong_secret')
})

it('missing and malformed headers are reported as such', async () => {
  expect(await findCause({ headers: {} })).toBe('missing_header')
  expect(await findCause({ headers: { ...headers, 'webhook-timestamp': '1e9' } })).toBe('malformed_header')
})

it.each([
  ['10 KB of brackets', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ['10 KB of brackets after an item', `[1,${'['.repeat(5_000)}${']'.repeat(5_000)}]`],
  ['1 MB of items, 15 levels deep', `${'['.repeat(15)}${'1,'.repeat(500_000)}1${']'.repeat(15)}`],
  ['64 KiB of items, 15 levels deep', `${'['.repeat(15)}${'1,'.repeat(32_000)}1${']'.repeat(15)}`],
])('%s cost a bounded time', async (_, hostile) => {
  const startedAt = process.cpuUsage()
  expect(await findCause({ payload: hostile })).toBe('wrong_secret')
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(1_500)
})

it('survives a body nested 100,000 levels deep', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  expect(await findCause({ payload: deep })).toBe('wrong_secret')
})

it('never reveals a secret, and never makes verifySignature more lenient', async () => {
  const wrong = { ...given, headers: await signAs(JSON.stringify(event, null, 2)) }
  const diagnosis = await diagnose(wrong)
  expect(diagnosis?.message).toContain('Pass on the bytes')
  expect(JSON.stringify(diagnosis)).not.toContain(secret.slice(6))
  await expect(verifySignature(wrong)).rejects.toMatchObject({ reason: 'no_matching_signature' })
})
