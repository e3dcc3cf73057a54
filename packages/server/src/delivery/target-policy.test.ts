import { expect, test } from 'vitest'
import { findRefusal } from './target-policy.ts'

test.each(['', 'localhost', '127.0.0.1:80', '[::1]', '0x7f000001', '127.1'])(
  'refuses %j, which is not an IP address, whatever is allowed',
  (address) => {
    for (const protocol of ['http:', 'https:']) {
      expect(findRefusal(address, protocol, { allowPrivateTargets: true })?.message).toContain(
        'it is not an IP address',
      )
    }
  },
)
