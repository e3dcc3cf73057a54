import { Miniflare } from 'miniflare'
import { bundle, type Origin } from './bundle.ts'
import type { Outcome } from './run-everything.ts'

/** Runs the suite in workerd. */
export const runInWorkerd = async (origin: Origin): Promise<Outcome> => {
  const script = await bundle('worker.ts', origin)
  if (/(?:from|import|require)\s*\(?\s*["']node:/.test(script)) throw new Error('The bundle needs Node.js.')
  const miniflare = new Miniflare({ modules: true, script, compatibilityDate: '2025-09-01' })
  try {
    const response = await miniflare.dispatchFetch('https://worker.example/')
    return (await response.json()) as Outcome
  } finally {
    await miniflare.dispose()
  }
}
