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

test('changes no body that is not a JSON object, so the fault does not apply to it', () => {
  const parts = { url: 'https://a.example/', parameter: 'token', credentials: [], headers: new Headers() }
  const fault = { kind: 'tamper', event: '*', part: 'body' } as const
  expect(tamper({ ...parts, body: '' }, fault)).toBeUndefined()
  expect(tamper({ ...parts, body: 'event=CALL_ENDED' }, fault)).toBeUndefined()
  expect(tamper({ ...parts, body: '{"a":1}' }, fault)?.body).toBe('{"a":1,"tampered":true}')
})
