import { bundle as bundleSuite } from '../../packages/core/test/runtimes/bundle.ts'
import type { Outcome } from '../../packages/core/test/runtimes/run-everything.ts'
import { bundle } from './bundle.ts'
import type { Environment } from './checks/client.ts'
import { launchFirefox } from './firefox.ts'

/** Checks the client, the receiver and the mock in a page of headless Firefox, and everything of the core, from its sources. */
export const checkInFirefox = async (
  dir: string,
  environment: Omit<Environment, 'codes' | 'browser'>,
): Promise<void> => {
  const script = await bundle(
    `import { checkAll } from './checks/all.ts'
    globalThis.check = () => checkAll(${JSON.stringify({ ...environment, codes: false, browser: true })})`,
    dir,
  )
  const suite = await bundleSuite('page.ts')
  const firefox = await launchFirefox()
  try {
    // Only on a loopback origin, a page without https has `crypto.subtle`.
    await firefox.open(`${environment.url.replace('127.0.0.1', 'localhost')}/page`)
    await firefox.evaluate(`(() => { 'use strict'; ${script}; return check() })()`)
    const outcome = await firefox.evaluate(`(() => { ${suite}; return runEverything() })()`)
    const { passed, failures } = outcome as Outcome
    if (failures.length > 0) throw new Error(failures.join('\n'))
    if (passed <= 250) throw new Error(`Only ${passed} cases of the core ran.`)
  } finally {
    await firefox.close()
  }
}
