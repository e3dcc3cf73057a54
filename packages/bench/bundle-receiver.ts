import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { writeResult } from './src/rounds.ts'

// P7: what a bundle of each package's verification weighs, minified and gzipped, with all its dependencies.
const contenders = {
  'wabakit receiver': `import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
    export const { handle } = createReceiver({ verify: standardWebhooks({ secrets: [globalThis.secret] }) })`,
  'wabakit verifySignature': `export { verifySignature } from '@wabakit/webhooks'`,
  '@octokit/webhooks': `export { Webhooks, createWebMiddleware } from '@octokit/webhooks'`,
  svix: `export { Webhook } from 'svix'`,
  standardwebhooks: `export { Webhook } from 'standardwebhooks'`,
  stripe: `import Stripe from 'stripe'; export const { webhooks } = new Stripe('sk')`,
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

console.log('\nP7 bundle of a receiver, all dependencies in')
console.table(sizes)
writeResult('bundle-receiver', { title: 'P7 bundle of a receiver', sizes })
