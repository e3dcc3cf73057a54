import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { publish } from './src/result.ts'

const modules = {
  'wabakit receiver': `import { createReceiver, standardWebhooks } from '@wabakit/webhooks'; export const receiver = createReceiver({ verify: standardWebhooks({ secrets: ['x'] }) })`,
  'wabakit client': `import { createClient } from '@wabakit/client'; export const client = createClient()`,
  'receivers: svix': `import { Webhook } from 'svix'; export default new Webhook('x')`,
  'receivers: @octokit/webhooks': `import { Webhooks } from '@octokit/webhooks'; export default new Webhooks({ secret: 'x' })`,
  'clients: ky': `import ky from 'ky'; export default ky`,
  'clients: svix': `import { Svix } from 'svix'; export default new Svix('sk')`,
  'clients: resend': `import { Resend } from 'resend'; export default new Resend('re')`,
  'clients: openai': `import OpenAI from 'openai'; export default new OpenAI()`,
  'both: stripe': `import Stripe from 'stripe'; export default new Stripe('sk')`,
}

const measureBundle = async (contents: string): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    external: ['node:*', 'crypto'],
    conditions: ['@wabakit/source'],
    write: false,
  })
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length / 1_000
}

const sizes: Record<string, number> = {}
for (const [name, contents] of Object.entries(modules)) sizes[name] = await measureBundle(contents)

publish({
  name: 'bundle-size',
  title: 'Bundle size',
  about: 'Minified by esbuild and gzipped, with all dependencies.',
  unit: 'time',
  figures: Object.entries(sizes).map(([name, size]) => ({ name, figure: `${size.toFixed(1)} kB` })),
  goals: [
    { id: 'P7', what: 'kB of a receiver', result: sizes['wabakit receiver'] ?? NaN, limit: { atMost: 6 } },
    { id: 'P7', what: 'kB of a client', result: sizes['wabakit client'] ?? NaN, limit: { atMost: 18 } },
  ],
})
