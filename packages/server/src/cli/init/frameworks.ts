import type { Sources, Style } from './style.ts'

export type NewFile = { readonly path: string; readonly text: string }

export type Framework = Sources & {
  readonly name: string
  readonly dependency: string
  /** Path of the receiver, without its extension. */
  readonly receiver: string
  /** The port of its development server. @default 3000 */
  readonly port?: number
  /** If one of these folders exists, the files of the receiver, the route and the start go into `src`. */
  readonly sources?: readonly string[]
  /** Creates the receiver on the first request, because the secret is not available earlier. */
  readonly isLazy?: true
  /** The receiver is in a class that the framework injects, starts and stops. */
  readonly isInjected?: true
  /** Returns the route's file, for frameworks that find it by its path. */
  route?(style: Style): NewFile
  /** Returns the file that the framework runs when the process starts, which handles what an inbox has stored. */
  start?(style: Style): NewFile
  /** The code to add to the application by hand. */
  readonly nextStep: readonly string[]
}

const inAnyFolder = { receiver: 'wabakit/receiver', sources: ['src'] }

/** The frameworks, most specific first: a Next.js project may also depend on express. */
export const frameworks: readonly Framework[] = [
  {
    name: 'Next.js',
    dependency: 'next',
    receiver: 'wabakit/receiver',
    isBundled: true,
    route: ({ extension }) => ({
      path: `app/webhooks/route.${extension}`,
      // Next.js bundlers do not resolve a .js import to a TypeScript file.
      text: `import { receiver } from '../../wabakit/receiver'\n\nexport const POST = receiver.handle\n`,
    }),
    start: ({ extension }) => ({
      path: `instrumentation.${extension}`,
      text: `export const register = async () => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { start } = await import('./wabakit/receiver')
  // Handles what is stored.
  start()
}
`,
    }),
    // With a new `app` folder next to `src`, Next.js would ignore these folders.
    sources: ['src/app', 'src/pages'],
    nextStep: [
      '// next.config.ts: next dev must not print the query of the URL, which may contain a token',
      'logging: { incomingRequests: { ignore: [/webhooks/] } },',
    ],
  },
  {
    name: 'SvelteKit',
    dependency: '@sveltejs/kit',
    port: 5173,
    receiver: 'src/lib/server/receiver',
    isBundled: true,
    route: ({ extension }) => ({
      path: `src/routes/webhooks/+server.${extension}`,
      // Uses a relative import, because SvelteKit 3 no longer has $lib.
      text: `import { receiver } from '../../lib/server/receiver'\n\nexport const POST = receiver.handle\n`,
    }),
    start: ({ extension }) => ({
      path: `src/hooks.server.${extension}`,
      text: `import { start } from './lib/server/receiver'\n\n// Handles what is stored.\nexport const init = () => start()\n`,
    }),
    nextStep: ['// Nothing: webhooks arrive at /webhooks.'],
  },
  {
    name: 'NestJS',
    dependency: '@nestjs/core',
    isTypeScript: true,
    receiver: 'src/wabakit/webhooks.module',
    isInjected: true,
    nextStep: [
      '// src/app.module.ts: add WebhooksModule to the imports of AppModule',
      "import { WebhooksModule } from './wabakit/webhooks.moduleENDING'",
      '@Module({ imports: [WebhooksModule] })',
      '// src/main.ts',
      "import type { NestExpressApplication } from '@nestjs/platform-express'",
      'const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true })',
      "app.useBodyParser('json', { limit: '1mb' }) // on Express, which otherwise refuses bodies above 100 kB",
      'app.enableShutdownHooks()',
    ],
  },
  {
    name: 'Hono',
    dependency: 'hono',
    ...inAnyFolder,
    nextStep: [
      "app.post('/webhooks', (c) => receiver.handle(c))",
      "process.once('SIGTERM', () => {",
      '  server.close() // what serve() has returned',
      '  receiver.stop()',
      '})',
    ],
  },
  {
    name: 'Fastify',
    dependency: 'fastify',
    ...inAnyFolder,
    nextStep: [
      "import { toFastifyPlugin } from 'wabakit/webhooks/fastify'",
      "app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' })",
      "app.addHook('onClose', () => receiver.stop())",
      "process.once('SIGTERM', () => app.close())",
    ],
  },
  {
    name: 'Express',
    dependency: 'express',
    ...inAnyFolder,
    nextStep: [
      "import { stopServer, toNodeHandler } from 'wabakit/webhooks/node'",
      "app.post('/webhooks', toNodeHandler(receiver)) // before app.use(express.json())",
      "process.once('SIGTERM', () => stopServer(server, { receiver })) // server: what app.listen() has returned",
    ],
  },
  {
    name: 'Cloudflare Workers',
    dependency: 'wrangler',
    port: 8787,
    ...inAnyFolder,
    isLazy: true,
    isBundled: true,
    nextStep: [
      '// In the fetch handler, for POST /webhooks. The variable goes into .dev.vars and to wrangler secret put.',
      'return getReceiver(env.VARIABLE).handle(request)',
    ],
  },
]
