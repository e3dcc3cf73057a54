import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signWebhook, verifySignature } from '@wabakit/webhooks'
import { build as buildWithEsbuild } from 'esbuild'
import { Miniflare } from 'miniflare'
import { build as buildWithVite, defaultClientConditions, defaultServerConditions } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joined } from '../signed.ts'
import { vectors } from './vectors.ts'
import { getOutcome } from './worker.ts'

const entry = join(import.meta.dirname, 'worker.ts')
const source = '@wabakit/source'

const esbuild = async (
  platform: 'node' | 'browser' | 'neutral',
  conditions: string[] = [],
): Promise<string> => {
  const { outputFiles } = await buildWithEsbuild({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform,
    mainFields: ['module', 'main'],
    conditions: [source, ...conditions],
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

const vite = async (ssr: boolean): Promise<string> => {
  const result = await buildWithVite({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: [source, ...defaultClientConditions] },
    ssr: { noExternal: true, resolve: { conditions: [source, ...defaultServerConditions] } },
    build: {
      write: false,
      minify: false,
      ...(ssr ? { ssr: entry } : { lib: { entry, formats: ['es'] } }),
    },
  })
  const [output] = Array.isArray(result) ? result : [result]
  if (output === undefined || !('output' in output)) throw new Error('nothing was built')
  return output.output.map((file) => ('code' in file ? file.code : '')).join('\n')
}

const folder = mkdtempSync(join(tmpdir(), 'wabakit-bundles-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a bundle in which only Node's own modules are left to resolve. */
const load = async (code: string, name: string): Promise<{ getOutcome: typeof getOutcome }> => {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, code)
  return import(/* @vite-ignore */ file)
}

const bundles = [
  ['esbuild for Node', 'node:crypto', () => esbuild('node')],
  ['esbuild for browsers', 'crypto.subtle', () => esbuild('browser')],
  ['esbuild for Workers', 'crypto.subtle', () => esbuild('browser', ['workerd', 'worker'])],
  ['esbuild for nothing in particular', 'crypto.subtle', () => esbuild('neutral')],
  ['Vite for browsers', 'crypto.subtle', () => vite(false)],
  ['Vite for a server', 'node:crypto', () => vite(true)],
] as const

describe.each(bundles)('a bundle built by %s', (name, hmac, build) => {
  let code = ''
  beforeAll(async () => {
    code = await build()
  })

  it(`signs with ${hmac} and nothing else`, () => {
    expect(/["']node:crypto["']/.test(code)).toBe(hmac === 'node:crypto')
    expect(code.includes("subtle.importKey('raw'") || code.includes('subtle.importKey("raw"')).toBe(
      hmac !== 'node:crypto',
    )
  })

  it('contains no library that only signing needs', () => {
    expect(code).not.toContain('stablelib')
    expect(code).not.toContain('fast-sha256')
  })

  it('has the same outcome for every vector', async () => {
    const bundle = await load(code, name.replaceAll(' ', '-'))
    const outcomes = await Promise.all(vectors.map(bundle.getOutcome))
    expect(outcomes).toEqual(vectors.map(({ outcome }) => outcome))
  })
})

describe('workerd', () => {
  let worker: Miniflare
  beforeAll(async () => {
    const script = await esbuild('browser', ['workerd', 'worker'])
    worker = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01' })
    await worker.ready
  })
  afterAll(() => worker.dispose())

  const fetchWorker = async (
    path: string,
    init?: { method: string; body: string; headers?: Record<string, string> },
  ) => worker.dispatchFetch(`http://localhost${path}`, init)

  it('has the same outcome for every vector', async () => {
    const response = await fetchWorker('/vectors', { method: 'POST', body: JSON.stringify(vectors) })
    expect(await response.json()).toEqual(vectors.map(({ outcome }) => outcome))
  })

  it('receives a signed event, rejects a forged one, and continues after an early response', async () => {
    const payload = JSON.stringify(joined)
    const { headers } = await signWebhook({ payload, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
    const send = async (body: string) =>
      (await fetchWorker('/webhooks', { method: 'POST', body, headers })).status
    // Sends twice, because a Worker must not await a promise that another request created.
    expect([await send(payload), await send(payload), await send(payload.replace('g-1', 'g-2'))]).toEqual([
      200, 200, 401,
    ])
    const listReceived = async () => (await fetchWorker('/received')).json()
    await expect.poll(listReceived).toEqual(['g-1', 'g-1'])
  })
})

describe('this process, without a bundle', () => {
  it('has the same outcome for every vector', async () => {
    expect(await Promise.all(vectors.map(getOutcome))).toEqual(vectors.map(({ outcome }) => outcome))
    expect(verifySignature).toBeTypeOf('function')
  })
})

it('a receiver bundles nothing that it does not import', async () => {
  // The package is published as one file. A bundler drops only code that it knows to have no side effects.
  const options = { bundle: true, write: false, format: 'esm', platform: 'browser' } as const
  const published = await buildWithEsbuild({
    ...options,
    entryPoints: [join(import.meta.dirname, '../../src/index.ts')],
    conditions: [source],
    external: ['standardwebhooks'],
  })
  const { outputFiles } = await buildWithEsbuild({
    ...options,
    stdin: {
      contents: `${published.outputFiles[0]?.text}`.replaceAll(
        /^export \{[\s\S]*\};$/gm,
        'export { createReceiver };',
      ),
    },
    external: ['standardwebhooks'],
  })
  const text = outputFiles[0]?.text ?? ''
  expect(text).toContain('createReceiver')
  expect(text).not.toMatch(/redis|RETURNING|ignoreBOM|whsec_/)
})

it('the builds choose their HMAC by the same conditions as the sources', () => {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  const { [source]: fromSource, ...fromBuild } = JSON.parse(manifest).imports['#hmac']
  const built = JSON.stringify(fromSource).replaceAll('./src/', './dist/').replaceAll('.ts"', '.js"')
  expect(JSON.stringify(fromBuild)).toBe(built)
})
