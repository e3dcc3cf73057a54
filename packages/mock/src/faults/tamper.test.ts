import { expect, test } from 'vitest'
import { tamper } from './tamper.ts'

test.each(['A', 'B', '/'])('changes a signature that starts with %s', (first) => {
  const headers = new Headers({ 'webhook-signature': `v1,${first}aaa=` })
  const changed = tamper(
    { credentialHeader: 'webhook-signature', headers, body: '{}' },
    { kind: 'tamper', event: '*', part: 'signature' },
  )
  expect(changed.headers.get('webhook-signature')).toMatch(/^v1,.aaa=$/)
  expect(changed.headers.get('webhook-signature')).not.toBe(headers.get('webhook-signature'))
})
