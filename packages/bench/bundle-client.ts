import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { writeResult } from './src/rounds.ts'

// P7: what a bundle with each package's client weighs, minified and gzipped, with all its dependencies.
const contenders = {
  'wabakit client': `import { createClient } from '@wabakit/client'; export const client = createClient()`,
  'wabakit client, every export': `export * from '@wabakit/client'`,
  'ky alone': `import ky from 'ky'; export default ky`,
  stripe: `import Stripe from 'stripe'; export const client = new Stripe('sk')`,
  openai: `import OpenAI from 'openai'; export const client = new OpenAI()`,
  resend: `import { Resend } from 'resend'; export const client = new Resend('re')`,
  svix: `import { Svix } from 'svix'; export const client = new Svix('sk')`,
}

const sizes: Record<string, { 'minified kB': number; 'gzipped kB': number }> = {}
for (const [name, contents] of Object.entries(contenders)) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    external: ['node:*', 'crypto'],
    conditions: process.argv.includes('--source') ? ['@wabakit/source'] : [],
    write: false,
  })
  const bytes = outputFiles[0]?.contents ?? new Uint8Array()
  sizes[name] = {
    'minified kB': bytes.length / 1000,
    'gzipped kB': gzipSync(bytes, { level: 9 }).length / 1000,
  }
}

console.log('\nP7 bundle of a client, all dependencies in')
console.table(sizes)
writeResult('bundle-client', { title: 'P7 bundle of a client', sizes })
