import { Miniflare } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { bundle } from './bundle.ts'

// The same in Firefox: tools/matrix/firefox.ts.
test('everything of the core passes in workerd', async () => {
  const script = await bundle('worker.ts')
  expect(script).not.toMatch(/(?:from|import|require)\s*\(?\s*["']node:/)
  const miniflare = new Miniflare({ modules: true, script, compatibilityDate: '2025-09-01' })
  onTestFinished(() => miniflare.dispose())
  const outcome = await (await miniflare.dispatchFetch('https://worker.example/')).json()
  expect(outcome).toEqual({ passed: expect.any(Number), failures: [] })
  expect(Object(outcome).passed).toBeGreaterThan(250)
})
