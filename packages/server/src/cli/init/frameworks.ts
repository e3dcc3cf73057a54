export type NewFile = { readonly path: string; readonly text: string }

/** A project's language: TypeScript, or JavaScript with the extension required for modules. */
export type Language = 'ts' | 'js' | 'mjs'

export type Framework = {
  readonly name: string
  readonly dependency: string
  /** The project's language, if the framework determines it. */
  readonly language?: Language
  /** Path of the receiver, without its extension. */
  readonly receiver: string
  /** If one of these folders exists, all files go into `src`. */
  readonly sources?: readonly string[]
  /** Creates the receiver on the first request, because the secret is not available earlier. */
  readonly isLazy?: true
  /** Returns the route's file, for frameworks with file-based routing. */
  route?(language: Language): NewFile
  /** The code to add to the application by hand. */
  readonly nextStep: readonly string[]
}

export const getEnding = (language: Language): string => (language === 'mjs' ? '.mjs' : '.js')

const imports = "import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'\n"

const writeReceiver = (secret: string): string => `createReceiver({
  verify: standardWebhooks({ secrets: () => [${secret}] }),
  // Several processes need a shared dedupe store: redisDedupe, sqlDedupe or sqlInbox.
  dedupe: memoryDedupe(),
})
  .on('CALL_AI_SUMMARY', (event) => {
    console.log(event.callId, event.summary.recap)
  })
  .on('GROUP_CREATED', (event) => {
    console.log(event.groupId)
  })
`

export const writeModule = ({ isLazy }: Framework, language: Language): string => {
  if (!isLazy) {
    return `${imports}\nexport const receiver = ${writeReceiver("process.env.WABAKIT_WEBHOOK_SECRET ?? ''")}`
  }
  const [parameter, type] =
    language === 'ts' ? ['secret: string', ': ReturnType<typeof create> | undefined'] : ['secret', '']
  return `${imports}
const create = (${parameter}) => ${writeReceiver('secret')}
let receiver${type}
export const getReceiver = (${parameter}) => (receiver ??= create(secret))
`
}

const arrives = ['// Nothing: webhooks arrive at /webhooks.']
const inAnyFolder = { receiver: 'wabakit/receiver', sources: ['src'] }

/** The frameworks, most specific first: a Next.js project may also depend on express. */
export const frameworks: readonly Framework[] = [
  {
    name: 'Next.js',
    dependency: 'next',
    receiver: 'wabakit/receiver',
    route: (language) => ({
      path: `app/webhooks/route.${language}`,
      // Next.js bundlers do not resolve a .js import to a TypeScript file.
      text: `import { receiver } from '../../wabakit/receiver'\n\nexport const POST = receiver.handle\n`,
    }),
    // Next.js ignores these folders if there is an `app` folder next to `src`.
    sources: ['src/app', 'src/pages'],
    nextStep: arrives,
  },
  {
    name: 'SvelteKit',
    dependency: '@sveltejs/kit',
    receiver: 'src/lib/server/receiver',
    route: (language) => ({
      path: `src/routes/webhooks/+server.${language}`,
      // Uses a relative import, because SvelteKit 3 no longer has $lib.
      text: `import { receiver } from '../../lib/server/receiver'\n\nexport const POST = receiver.handle\n`,
    }),
    nextStep: arrives,
  },
  {
    name: 'NestJS',
    dependency: '@nestjs/core',
    language: 'ts',
    receiver: 'src/wabakit/receiver',
    route: () => ({
      path: 'src/wabakit/webhooks.controller.ts',
      text: `import { Controller, Post, Req, Res } from '@nestjs/common'
import { toNodeHandler } from 'wabakit/webhooks/node'
import { receiver } from './receiver.js'

const handleWebhook = toNodeHandler(receiver)

@Controller('webhooks')
export class WebhooksController {
  @Post()
  receive(@Req() request: Parameters<typeof handleWebhook>[0], @Res() response: Parameters<typeof handleWebhook>[1]) {
    return handleWebhook(request, response)
  }
}
`,
    }),
    nextStep: [
      "import { WebhooksController } from './wabakit/webhooks.controller.js'",
      '@Module({ controllers: [WebhooksController] })',
      'NestFactory.create(AppModule, { rawBody: true })',
    ],
  },
  {
    name: 'Hono',
    dependency: 'hono',
    ...inAnyFolder,
    nextStep: ["app.post('/webhooks', (c) => receiver.handle(c))"],
  },
  {
    name: 'Fastify',
    dependency: 'fastify',
    ...inAnyFolder,
    nextStep: [
      "import { toFastifyPlugin } from 'wabakit/webhooks/fastify'",
      "app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' })",
    ],
  },
  {
    name: 'Express',
    dependency: 'express',
    ...inAnyFolder,
    nextStep: [
      "import { toNodeHandler } from 'wabakit/webhooks/node'",
      "app.post('/webhooks', toNodeHandler(receiver)) // before app.use(express.json())",
    ],
  },
  {
    name: 'Cloudflare Workers',
    dependency: 'wrangler',
    ...inAnyFolder,
    isLazy: true,
    nextStep: [
      '// In the fetch handler, for POST /webhooks. The secret goes into .dev.vars and to wrangler secret put.',
      'return getReceiver(env.WABAKIT_WEBHOOK_SECRET).handle(request)',
    ],
  },
]

export const getExport = ({ isLazy }: Framework): string => (isLazy ? 'getReceiver' : 'receiver')

/**
 * Lists the lines to add to the application: the code that uses the receiver and, unless a route imports it, the
 * import.
 */
export const listNextLines = (framework: Framework, language: Language): readonly string[] => {
  const { receiver, route, nextStep } = framework
  if (route !== undefined) return nextStep
  const lines = [`import { ${getExport(framework)} } from './${receiver}${getEnding(language)}'`, ...nextStep]
  // The project is CommonJS.
  return language === 'mjs'
    ? lines.map((line) => line.replace(/^import (.*) from (.*)$/, 'const $1 = require($2)'))
    : lines
}
