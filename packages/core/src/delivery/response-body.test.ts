import { expect, test } from 'vitest'
import { readResponseBody } from './response-body.ts'

/** A body that arrives in pieces, and whether its reader has canceled it. */
const createBody = (...pieces: readonly (string | Uint8Array<ArrayBuffer>)[]) => {
  const seen = { pulled: 0, isCanceled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const piece = pieces[seen.pulled++]
        if (piece === undefined) controller.close()
        else controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
      },
      cancel: () => {
        seen.isCanceled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body, seen }
}

test('an absent or empty body is empty, and a string is kept as it is', async () => {
  expect(await readResponseBody(null, {})).toBe('')
  expect(await readResponseBody('', { 'x-a': 'secret' })).toBe('')
  expect(await readResponseBody('ok', {})).toBe('ok')
  expect(await readResponseBody(createBody().body, {})).toBe('')
})

test('the first 4,096 characters are kept, and a longer body is not read to its end', async () => {
  const long = 'x'.repeat(4_096)
  expect(await readResponseBody(`${long}y`, {})).toBe(long)
  const { body, seen } = createBody(...Array(7).fill(long), 'z')
  expect(await readResponseBody(body, {})).toBe(long)
  expect(seen).toEqual({ pulled: 6, isCanceled: true })
})

test('a character that arrives in two pieces is kept', async () => {
  const [first, ...rest] = new TextEncoder().encode('é')
  const { body } = createBody(Uint8Array.of(first ?? 0), Uint8Array.from(rest))
  expect(await readResponseBody(body, {})).toBe('é')
})

test('NUL characters and lone surrogates are left out', async () => {
  expect(await readResponseBody('a\0b\ud800c🎉', {})).toBe('abc🎉')
})

test.each([
  ['sec1', 'a sec1 and sec1'],
  ['a "quoted" value', 'a a \\"quoted\\" value'],
  ['a b/c', 'a a%20b%2Fc'],
  ['bearer s3cret', 'a s3cret'],
  ['Bearer  s3cret', 'a s3cret'],
  [`Basic ${btoa('user:pass')}`, 'a user:pass'],
  [`Basic ${btoa('user:pass')}`, `a ${btoa('user:pass')}`],
  [`Basic ${btoa('user:pass')}`, 'a pass'],
])('the value %j is hidden in %j', async (value, body) => {
  const shown = await readResponseBody(body, { authorization: value })
  expect(shown).toMatch(/^a \[redacted\]( and \[redacted\])?$/)
})

test.each(['a s3cret%2Bs3cret', 'a s3cret+s3cret', 'a s3cret%2Bs3cret and s3cret+s3cret'])(
  'the value of a query is hidden in %j',
  async (body) => {
    const url = 'https://a.example/?short=name&token=s3cret%2Bs3cret#x'
    expect(await readResponseBody(`name ${body}`, {}, url)).toMatch(
      /^name a \[redacted\]( and \[redacted\])?$/,
    )
  },
)

test.each([
  ['abc', 'a abc'],
  ['Basic s3!', 'a s3'],
  [`Bearer ${btoa('words')}`, 'a words'],
  ['s3cret', 'a s3crets'],
  ['', 'a Stryker'],
])('with the value %j, nothing is hidden in %j', async (value, body) => {
  expect(await readResponseBody(body, { 'x-a': value })).toBe(body)
})

test('the longest of several secrets that start at the same place is hidden', async () => {
  const headers = { 'x-a': 'secrets1', 'x-b': 'secrets1-and-more', 'x-c': 'more' }
  expect(await readResponseBody('(secrets1-and-more) more secrets1', headers)).toBe(
    '([redacted]) [redacted] [redacted]',
  )
})

test('a secret that crosses the limit is hidden completely, and one after it does not matter', async () => {
  const secret = 'secret-value'
  const start = 'x'.repeat(4_090)
  const { body } = createBody(`${start}${secret}`, 'y'.repeat(5_000))
  expect(await readResponseBody(body, { 'x-a': secret })).toBe(`${start}[redac`)
  const filled = 'x'.repeat(4_096)
  expect(await readResponseBody(`${filled}${secret}`, { 'x-a': secret })).toBe(filled)
  const pieces = createBody(start, secret, 'y')
  expect(await readResponseBody(pieces.body, { 'x-a': secret })).toBe(`${start}[redac`)
})

test('replacing secrets makes a body no longer than the limit', async () => {
  expect(await readResponseBody('a1b '.repeat(16_384), { 'x-a': 'a1b' })).toHaveLength(4_096)
  expect(await readResponseBody('aaab '.repeat(16_384), { 'x-a': 'aaab' })).toBe(
    '[redacted] '.repeat(410).slice(0, 4_096),
  )
})
