/** A file that `init` writes. */
export type NewFile = { readonly path: string; readonly text: string }

/** A framework that `init` knows. */
export type Framework = {
  readonly name: string
  /** The package that a project of this framework depends on. */
  readonly dependency: string
  /** The receiver, and where it goes. */
  readonly files: readonly NewFile[]
  /** If one of these folders exists, the files of {@link files} go into `src`, too. */
  readonly sources?: readonly string[]
  /** What remains to be done by hand. */
  readonly nextStep: string
}

const buildReceiver = (secret: string): string => `export const receiver = createReceiver({
  verify: standardWebhooks({ secrets: () => [${secret}] }),
  // For several processes, use a dedupe store that they share: wabakit/webhooks/redis, /postgres or /sqlite.
  dedupe: memoryDedupe(),
})
  .on('CALL_AI_SUMMARY', (event) => {
    console.log(event.callId, event.summary.recap)
  })
  .on('GROUP_CREATED', (event) => {
    console.log(event.groupId)
  })
`

const imports = `import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'\n`
const fromProcess = "process.env.WABAKIT_WEBHOOK_SECRET ?? ''"

const receiverFile = (path: string): NewFile => ({ path, text: `${imports}\n${buildReceiver(fromProcess)}` })

/** The frameworks, the more specific ones first: a Next.js project may also depend on express. */
export const frameworks: readonly Framework[] = [
  {
    name: 'Next.js',
    dependency: 'next',
    files: [
      receiverFile('wabakit/receiver.ts'),
      {
        path: 'app/webhooks/route.ts',
        text: `import { receiver } from '../../wabakit/receiver'\n\nexport const POST = receiver.handle\n`,
      },
    ],
    // Next.js ignores them as soon as there is a folder app next to src.
    sources: ['src/app', 'src/pages'],
    nextStep: 'Webhooks arrive at /webhooks.',
  },
  {
    name: 'SvelteKit',
    dependency: '@sveltejs/kit',
    files: [
      receiverFile('src/lib/server/receiver.ts'),
      {
        path: 'src/routes/webhooks/+server.ts',
        // Not by $lib, which SvelteKit 3 no longer has.
        text: `import { receiver } from '../../lib/server/receiver'\n\nexport const POST = receiver.handle\n`,
      },
    ],
    nextStep: 'Webhooks arrive at /webhooks.',
  },
  {
    name: 'NestJS',
    dependency: '@nestjs/core',
    files: [
      receiverFile('src/wabakit/receiver.ts'),
      {
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
      },
    ],
    nextStep: 'Add WebhooksController to your module, and { rawBody: true } to NestFactory.create.',
  },
  {
    name: 'Hono',
    dependency: 'hono',
    files: [receiverFile('src/wabakit/receiver.ts')],
    nextStep: "Add the route: app.post('/webhooks', (c) => receiver.handle(c.req.raw))",
  },
  {
    name: 'Fastify',
    dependency: 'fastify',
    files: [receiverFile('src/wabakit/receiver.ts')],
    nextStep:
      "Add the route: app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' }), from wabakit/webhooks/fastify.",
  },
  {
    name: 'Express',
    dependency: 'express',
    files: [receiverFile('src/wabakit/receiver.ts')],
    nextStep:
      "Add the route before express.json(): app.post('/webhooks', toNodeHandler(receiver)), from wabakit/webhooks/node.",
  },
  {
    name: 'Cloudflare Workers',
    dependency: 'wrangler',
    files: [
      {
        path: 'src/wabakit/receiver.ts',
        text: `import { env } from 'cloudflare:workers'\n${imports}\n${buildReceiver('env.WABAKIT_WEBHOOK_SECRET')}`,
      },
    ],
    nextStep:
      'Call receiver.handle(request) for POST /webhooks in your fetch handler, put WABAKIT_WEBHOOK_SECRET into .dev.vars, and run: wrangler types',
  },
]
