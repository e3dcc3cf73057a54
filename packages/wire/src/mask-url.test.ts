import { expect, it } from 'vitest'
import { isMasked, listMasked, maskUrl } from './mask-url.ts'

it.each([
  ['https://a.example/b', 'https://a.example/b'],
  ['https://a.example/b?', 'https://a.example/b?'],
  ['https://a.example/b?token=secret', 'https://a.example/b?token=***'],
  ['https://a.example/?a=secret&b=secret=secret&c', 'https://a.example/?a=***&b=***&***'],
  ['https://a.example/?secret', 'https://a.example/?***'],
  ['https://a.example/?c2VjcmV0==&a==secret', 'https://a.example/?***&a=***'],
  ['https://a.example/?a=secret?b=secret', 'https://a.example/?a=***'],
  ['https://a.example/?a=secret#secret', 'https://a.example/?a=***'],
  ['https://a.example/#?a=secret', 'https://a.example/'],
  ['/webhooks?token=secret', '/webhooks?token=***'],
])('masks %s', (url, masked) => {
  expect(maskUrl(url)).toBe(masked)
  expect(isMasked(masked)).toBe(masked.includes('*'))
})

it('recognizes an encoded mask', () => {
  expect(['https://a.example/?a=%2A%2a*', 'https://a.example/?a=**'].map(isMasked)).toEqual([true, false])
})

it('lists what is masked, as it is and decoded', () => {
  expect(listMasked('https://a.example/?a=b%2Bc+d&c2VjcmV0==#e')).toEqual([
    ...['b%2Bc+d', 'b+c+d', 'b+c d'],
    ...['c2VjcmV0==', 'c2VjcmV0==', 'c2VjcmV0=='],
  ])
  expect(listMasked('https://a.example/?%').at(0)).toBe('%')
})
