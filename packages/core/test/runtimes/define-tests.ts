import { expect, test } from 'vitest'
import { isBuilt, type Origin } from './bundle.ts'
import { hasChromium, runInChromium } from './chromium.ts'
import type { Outcome } from './run-everything.ts'
import { runInWorkerd } from './workerd.ts'

const check = ({ passed, failures }: Outcome): void => {
  expect(failures).toEqual([])
  expect(passed).toBeGreaterThan(250)
}

/** Defines the tests of the core in other runtimes. Skips those whose requirements are missing. */
export const defineRuntimeTests = (origin: Origin): void => {
  const isReady = origin === 'sources' || isBuilt
  test.skipIf(!isReady || !hasChromium)('everything passes in headless Chromium', async () =>
    check(await runInChromium(origin)),
  )
  test.skipIf(!isReady)('everything passes in workerd', async () => check(await runInWorkerd(origin)))
}
