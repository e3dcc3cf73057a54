import { expect, test } from 'vitest'
import { tamper } from './tamper.ts'

test.each(['v1,Aaaa=', 'v1,Baaa=', 'v1,/aaa= v1,Abbb='])('changes every signature of %s', (text) => {
  const headers = new Headers({ 'webhook-signature': text })
  const changed = tamper(
    {
      url: 'https://a.example/',
      parameter: 'token',
      credentials: ['webhook-signature'],
      headers,
      body: '{}',
    },
    { kind: 'tamper', event: '*', part: 'signature' },
  )
  const signatures = changed?.headers.get('webhook-signature')?.split(' ') ?? []
  expect(signatures.map((each) => each.replace(/^v1,./, ''))).toEqual(
    text.split(' ').map((each) => each.replace(/^v1,./, '')),
  )
  expect(signatures.filter((each) => text.includes(each))).toEqual([])
})
