import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { bundleLittleOfManifest } from '../../tsup.config.ts'
import { publish } from './src/result.ts'

const modules = {
  'wabakit receiver': `import { createReceiver, standardWebhooks } from '@wabakit/webhooks'; export const receiver = createReceiver({ verify: standardWebhooks({ secrets: ['x'] }) })`,
  'wabakit verifySignature and parseEvent': `export { parseEvent, verifySignature } from '@wabakit/webhooks'`,
  'wabakit client': `import { createClient } from '@wabakit/client'; export const client = createClient()`,
  'receivers: svix': `import { Webhook } from 'svix'; export default new Webhook('x')`,
  'receivers: @octokit/webhooks': `import { Webhooks } from '@octokit/webhooks'; export default new Webhooks({ secret: 'x' })`,
  'clients: ky': `import ky from 'ky'; export default ky`,
  'clients: svix': `import { Svix } from 'svix'; export default new Svix('sk')`,
  'clients: resend': `import { Resend } from 'resend'; export default new Resend('re')`,
  'clients: openai': `import OpenAI from 'openai'; export default new OpenAI()`,
  'both: stripe': `import Stripe from 'stripe'; export default new Stripe('sk')`,
}

const fromSource = {
  bundle: true,
  format: 'esm',
  conditions: ['@wabakit/source'],
} as const satisfies BuildOptions

const getText = async (options: BuildOptions): Promise<string> =>
  (await build({ ...options, write: false })).outputFiles[0]?.text ?? ''

/**
 * Bundles each of our packages into one file first, as published. Otherwise, the bundler would mix its modules with
 * modules of dependencies, which would compress worse.
 */
const asPublished: Plugin = {
  name: 'as-published',
  setup: ({ onLoad }) => {
    onLoad({ filter: /packages\/(?:client|webhooks)\/src\/index\.ts$/ }, async ({ path }) => ({
      contents: await getText({
        ...fromSource,
        entryPoints: [path],
        packages: 'external',
        platform: 'neutral',
        plugins: [bundleLittleOfManifest],
      }),
      resolveDir: dirname(path),
    }))
  },
}

const measureBundle = async (contents: string): Promise<number> => {
  const text = await getText({
    ...fromSource,
    stdin: { contents, resolveDir: import.meta.dirname },
    minify: true,
    // Bundlers usually write licenses to a separate file.
    legalComments: 'none',
    platform: 'browser',
    external: ['node:*', 'crypto'],
    plugins: [asPublished],
  })
  return gzipSync(text, { level: 9 }).length / 1_000
}

const sizes: Record<string, number> = {}
for (const [name, contents] of Object.entries(modules)) sizes[name] = await measureBundle(contents)

publish({
  name: 'bundle-size',
  title: 'Bundle size',
  about: 'The size of a bundle with all dependencies, minified by esbuild and compressed with gzip.',
  unit: 'time',
  figures: Object.entries(sizes).map(([name, size]) => ({ name, figure: `${size.toFixed(1)} kB` })),
  goals: [
    { id: 'P7', what: 'kB of a receiver', result: sizes['wabakit receiver'] ?? NaN, limit: { atMost: 9.7 } },
    {
      id: 'P7',
      what: 'kB of verifySignature and parseEvent',
      result: sizes['wabakit verifySignature and parseEvent'] ?? NaN,
      limit: { atMost: 4.6 },
    },
    { id: 'P7', what: 'kB of a client', result: sizes['wabakit client'] ?? NaN, limit: { atMost: 18.4 } },
  ],
})
