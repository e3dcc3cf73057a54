import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { copyWithoutSecrets, createRedact, listSecrets } from './redact.ts'

const secret = 'sk/1+2=3&4'

it.each([
  ['without escapes', secret],
  ['in JSON', String.raw`sk\/1\u002B2\u003d3\u00264`],
  ['in JSON in JSON', String.raw`sk\\/1\\u002B2=3\\u00264`],
  ['in a URL', encodeURIComponent(secret)],
  ['in HTML', 'sk&#47;1&#x2B;2=3&#38;4'],
  ['in HTML with names', 'sk/1+2=3&amp;4'],
  ['in upper case', 'SK/1+2=3&4'],
])('masks a secret %s', (_, written) => {
  expect(createRedact(() => [secret])(`a ${written} b`)).toBe('a [redacted] b')
})

it('masks a secret that contains a tab', () => {
  expect(createRedact(() => ['a\tsecret'])('key: a\tsecret, %09')).toBe('key: [redacted], %09')
})

it('masks a secret of fewer than 8 characters only as a word, and a longer one within words, too', () => {
  expect(createRedact(() => ['seven77'])('xseven77 seven77x (seven77)')).toBe(
    'xseven77 seven77x ([redacted])',
  )
  expect(createRedact(() => ['seven77'])('at xseven77')).toBe('at xseven77')
  expect(createRedact(() => ['eight888'])('xeight888x')).toBe('x[redacted]x')
})

it('masks nothing without secrets', () => {
  expect(createRedact(() => [])('a text')).toBe('a text')
})

it('masks the start of a secret at the end of a string', () => {
  const redact = createRedact(() => [secret])
  expect(redact(`key: ${secret.slice(0, 7)}`)).toBe('key: [redacted]')
  expect(redact(`key: ${secret.slice(0, 6)}`)).toBe('key: [redacted]')
  expect(redact(`key: ${secret.slice(0, 5)}`)).toBe('key: sk/1+')
  expect(redact(`key: ${secret.slice(0, 3)}`)).toBe('key: sk/')
})

it('lists the key, the headers of auth with and without their scheme, and headers whose names suggest a secret', () => {
  const visible = new Headers({ accept: 'text/plain', 'x-session-token': 'tok', traceparent: '00-1' })
  const sent = new Headers([...visible, ['authorization', 'Basic dXNlcg==']])
  expect(listSecrets('the-key', visible, sent)).toEqual(['Basic dXNlcg==', 'dXNlcg==', 'the-key', 'tok'])
  expect(listSecrets(undefined, visible, sent)).toEqual(['Basic dXNlcg==', 'dXNlcg==', 'tok'])
})

it('gets the secrets on first use only', () => {
  let calls = 0
  const redact = createRedact(() => {
    calls += 1
    return ['secret-secret']
  })
  expect(calls).toBe(0)
  expect(redact('secret-secret') + redact('x')).toBe('[redacted]x')
  expect(calls).toBe(1)
})

const redactSecret = createRedact(() => [secret])

it('copies an error of another realm', () => {
  const cause = runInNewContext(`new TypeError(${JSON.stringify(secret)})`)
  expect(copyWithoutSecrets(cause, redactSecret)).toMatchObject({ name: 'TypeError', message: '[redacted]' })
})

it('copies at most four causes of a cause', () => {
  const nest = (levels: number): Error =>
    new Error(`${levels} ${secret}`, levels > 0 ? { cause: nest(levels - 1) } : undefined)
  const messages: string[] = []
  let copy = copyWithoutSecrets(nest(6), redactSecret)
  for (; copy instanceof Error; copy = copy.cause) messages.push(copy.message)
  expect(messages).toEqual([6, 5, 4, 3, 2].map((level) => `${level} [redacted]`))
})

it.each([['\\'], ['%'], ['&#0'], ['s'], ['sk/1+2=3&']])('is fast with a hostile 64 KiB of "%s"', (piece) => {
  const started = process.cpuUsage()
  createRedact(() => [secret, `${secret}${secret}`, 's\\s\\s\\s\\s\\s\\'])(
    piece.repeat(65_536 / piece.length),
  )
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(500)
})
