// Run by trace.browser.test.ts in a vitest of its own.

import { expect, test } from 'vitest'
import { createMock } from 'wabakit/mock'

const run = async (outcome: string): Promise<void> => {
  const mock = await createMock({ seed: 7 })
  await mock.simulateCall()
  await mock.close()
  expect(outcome).toBe('passes')
}

test('passes', () => run('passes'))
test('fails after it has closed its mock', () => run('fails'))
