import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { chooseEncoding, compressResponse } from './compression.ts'

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1.0, br;q=0', 'gzip'],
  ['GZIP', 'gzip'],
  ['*', 'br'],
  ['*, br;q=0', 'gzip'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['gzip;q=nonsense', undefined],
  ['', undefined],
  [null, undefined],
])('chooses an encoding that the client accepts: %j', (accepted, encoding) => {
  expect(chooseEncoding(accepted)).toBe(encoding)
})

const text = 'a long text '.repeat(1_000)
const respond = async (accepted: string, body: string | null) =>
  compressResponse(
    { headers: new Headers({ 'accept-encoding': accepted }) },
    new Response(body, { status: body === null ? 204 : 200, headers: { 'content-type': 'text/plain' } }),
  )

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
])('compresses a body, and keeps the other headers: %s', async (encoding, decompress) => {
  const response = await respond(encoding, text)
  const body = Buffer.from(await response.arrayBuffer())

  expect(body.length).toBeLessThan(text.length / 20)
  expect(decompress(body).toString()).toBe(text)
  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'text/plain',
    'content-encoding': encoding,
    vary: 'accept-encoding',
  })
})

test('leaves short, empty and unaccepted bodies as they are', async () => {
  for (const response of [await respond('br', 'short'), await respond('br', null), await respond('', text)]) {
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(response.headers.get('vary')).toBe('accept-encoding')
  }
  expect(await (await respond('br', 'short')).text()).toBe('short')
  expect(await (await respond('', text)).text()).toBe(text)
})
