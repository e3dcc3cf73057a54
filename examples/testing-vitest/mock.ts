import { test as base, expect } from 'vitest'
import { createMock } from 'wabakit/mock'
import { type EventMatchers, matchers } from 'wabakit/mock/matchers'

expect.extend(matchers)
declare global {
  namespace Chai {
    interface Assertion extends EventMatchers {}
  }
}

const shared = await createMock()

/** Each test gets its own tenant, so that all tests can run concurrently. */
export const test = base.extend('mock', () => shared.tenant())
export { expect }
