import { join } from 'node:path'
import type { Dedupe } from '@wabakit/webhooks'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe } from 'vitest'
import { dedupeCases } from './dedupe-cases.ts'

let worker: Miniflare
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'durable-object.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['@wabakit/source', 'workerd', 'worker'],
    logLevel: 'silent',
  })
  worker = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? '',
    compatibilityDate: '2026-01-01',
    durableObjects: { DELIVERIES: { className: 'Deliveries', useSQLite: true } },
  })
  await worker.ready
})
afterAll(() => worker?.dispose())

/** A dedupe store whose every step is a request to the Durable Object. */
const connect = (retentionMs: number): Dedupe => {
  const call = async <Result>(step: string, values: Record<string, string | number>): Promise<Result> => {
    const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, `${value}`]))
    const response = await worker.dispatchFetch(`http://worker/${step}?${query}`)
    return JSON.parse(await response.text())
  }
  return {
    claim: async (key, ttlMs) => {
      const outcome = await call<'duplicate' | 'in_progress' | { token: string }>('claim', {
        key,
        ttlMs,
        retentionMs,
      })
      if (typeof outcome === 'string') return outcome
      const { token } = outcome
      return {
        renew: (renewMs) => call('renew', { token, ttlMs: renewMs }),
        complete: () => call('complete', { token }),
        release: () => call('release', { token }),
      }
    },
  }
}

describe('sqlDedupe in a Durable Object of workerd', () => {
  // Its statements are those of SQLite, and each step is a request.
  dedupeCases(async (ttlMs) => [connect(ttlMs), connect(ttlMs)], { numRuns: 3 })
})
