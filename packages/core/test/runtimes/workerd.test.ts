import { Miniflare } from 'miniflare'
import { describe, expect, test } from 'vitest'
import { bundle, isBuilt, type Origin } from './bundle.ts'
import type { Outcome } from './run-everything.ts'

const runInWorkerd = async (origin: Origin): Promise<Outcome> => {
  const script = await bundle('worker.ts', origin)
  expect(script).not.toMatch(/(?:from|import|require)\s*\(?\s*["']node:/)
  const miniflare = new Miniflare({ modules: true, script, compatibilityDate: '2025-09-01' })
  try {
    const response = await miniflare.dispatchFetch('https://worker.example/')
    return (await response.json()) as Outcome
  } finally {
    await miniflare.dispose()
  }
}

describe('in workerd', () => {
  test('everything holds, from the sources', { timeout: 60_000 }, async () => {
    const { passed, failures } = await runInWorkerd('sources')
    expect(failures).toEqual([])
    expect(passed).toBeGreaterThan(250)
  })

  test.skipIf(!isBuilt)('everything holds, from the built packages', { timeout: 60_000 }, async () => {
    const { passed, failures } = await runInWorkerd('built packages')
    expect(failures).toEqual([])
    expect(passed).toBeGreaterThan(250)
  })
})
