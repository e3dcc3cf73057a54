import { join } from 'node:path'

/** A route that receives webhooks, and the same route after a mistake. */
export type Route = {
  /** Suffix for the framework's title. */
  readonly suffix: string
  readonly path: string
  /** Path of the route where other code reads the body before the receiver. */
  readonly parsedPath: string
}

/** A framework, and the example that receives webhooks in it. */
export type Framework = {
  readonly title: string
  /** Folder in `examples/`. */
  readonly example: string
  /** Package whose installed version is shown. */
  readonly package: string
  /** The files that a user writes to receive webhooks. */
  readonly files: readonly string[]
  /** What the page says before a file. */
  readonly notes?: Readonly<Record<string, string>>
  /** A common mistake: changes that add the routes where other code reads the body before the receiver. */
  readonly mistake: Readonly<Record<string, (source: string) => string>>
  /** @default one route, `/webhooks`, whose mistake is at `/parsed` */
  readonly routes?: readonly Route[]
  /** Set if the framework keeps the bytes of a body that it has parsed, so that the mistake does no harm. */
  readonly bytesAreKept?: boolean
  /** Path of a route that `mistake` adds, with `ack: 'before'` and a slow handler. */
  readonly earlyPath?: string
  /** A GET of this path sends the function the event of the example. */
  readonly testEventPath?: string
  /** The command that starts the example. @default npm start */
  readonly command?: (port: number, secret: string) => readonly [file: string, ...args: string[]]
}

/** Returns the routes of an example. */
export const getRoutes = ({ routes }: Framework): readonly Route[] =>
  routes ?? [{ suffix: '', path: '/webhooks', parsedPath: '/parsed' }]

const insertBefore = (mark: string, text: string) => (source: string) => {
  if (!source.includes(mark)) throw new Error(`The example no longer contains ${mark}`)
  return source.replace(mark, `${text}\n${mark}`)
}

/** Writes a separate module, for frameworks whose routes are files. */
const write = (text: string) => () => text

const createEarly = (waitUntil: string) => `createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  ack: 'before',
  waitUntil: ${waitUntil},
}).on('CALL_AI_SUMMARY', async (event) => {
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  console.log(event.callId, event.summary.recap)
})`

export const frameworks: readonly Framework[] = [
  {
    title: 'node:http',
    example: 'node-http',
    package: 'node',
    files: ['server.ts'],
    mistake: {
      'server.ts': (source) =>
        source.replace(
          'createServer(toNodeHandler(receiver))',
          `createServer(async (request, response) => {
            if (request.url?.startsWith('/parsed')) for await (const _ of request);
            return toNodeHandler(receiver)(request, response)
          })`,
        ),
    },
  },
  ...(['express', 'express-4'] as const).map(
    (example): Framework => ({
      title: example === 'express' ? 'Express 5' : 'Express 4',
      example,
      package: 'express',
      files: ['server.ts'],
      mistake: {
        'server.ts': insertBefore('app.listen', `app.post('/parsed', toNodeHandler(receiver))`),
      },
    }),
  ),
  {
    title: 'Fastify',
    example: 'fastify',
    package: 'fastify',
    files: ['server.ts'],
    mistake: {
      'server.ts': (source) =>
        insertBefore(
          'await app.listen',
          `app.post('/parsed', toNodeHandler(receiver) as never)`,
        )(`import { toNodeHandler } from 'wabakit/webhooks/node'\n${source}`),
    },
  },
  {
    title: 'Hono',
    example: 'hono',
    package: 'hono',
    files: ['server.ts'],
    earlyPath: '/early',
    mistake: {
      'server.ts': insertBefore(
        'serve({',
        `app.post('/parsed', async (c) => {
          await c.req.json()
          return receiver.handle(c)
        })
        const early = ${createEarly('() => {}')}
        app.post('/early', (c) => early.handle(c))`,
      ),
    },
  },
  {
    title: 'Koa',
    example: 'koa',
    package: 'koa',
    files: ['server.ts'],
    mistake: {
      'server.ts': insertBefore(
        'app.listen',
        `app.use(async (context) => {
          for await (const _ of context.req);
          context.respond = false
          return handleWebhook(context.req, context.res)
        })`,
      ),
    },
  },
  ...[
    { title: 'NestJS on Express', example: 'nestjs-express' },
    { title: 'NestJS on Fastify', example: 'nestjs-fastify' },
    { title: 'NestJS 11, CommonJS', example: 'nestjs-commonjs' },
  ].map(
    (named): Framework => ({
      ...named,
      package: '@nestjs/core',
      files: ['src/webhooks.module.ts', 'src/main.ts'],
      // Nest parses every body.
      mistake: {},
      routes: [{ suffix: '', path: '/webhooks', parsedPath: '/webhooks' }],
      bytesAreKept: true,
    }),
  ),
  {
    title: 'Next.js',
    example: 'next',
    package: 'next',
    earlyPath: '/early',
    files: ['receiver.ts', 'app/webhooks/route.ts', 'pages/api/webhooks.ts'],
    routes: [
      { suffix: ', App Router', path: '/webhooks', parsedPath: '/parsed' },
      { suffix: ', pages API', path: '/api/webhooks', parsedPath: '/api/parsed' },
    ],
    mistake: {
      'app/parsed/route.ts': write(`import { receiver } from '../../receiver'
export const POST = async (request: Request) => {
  await request.json()
  return receiver.handle(request)
}`),
      'app/early/route.ts': write(`import { after } from 'next/server'
import { createReceiver, urlToken } from 'wabakit/webhooks'
const receiver = ${createEarly('after')}
export const POST = receiver.handle`),
      'pages/api/parsed.ts': write(`export { default } from './webhooks'`),
    },
  },
  {
    title: 'SvelteKit',
    example: 'sveltekit',
    package: '@sveltejs/kit',
    files: ['src/routes/webhooks/+server.ts', 'src/env.ts'],
    mistake: {
      'src/routes/parsed/+server.ts': write(`import type { RequestEvent } from '@sveltejs/kit'
import { POST as receive } from '../webhooks/+server.ts'
export const POST = async (event: RequestEvent) => {
  await event.request.json()
  return receive(event)
}`),
    },
  },
  {
    title: 'Nuxt',
    example: 'nuxt',
    bytesAreKept: true,
    package: 'nuxt',
    files: ['server/routes/webhooks.post.ts'],
    mistake: {
      'server/routes/parsed.post.ts': write(`import receive from './webhooks.post'
export default defineEventHandler(async (event) => {
  await readBody(event)
  return receive(event)
})`),
    },
  },
  {
    title: 'Nitro',
    example: 'nitro',
    package: 'nitro',
    files: ['routes/webhooks.post.ts'],
    mistake: {
      'routes/parsed.post.ts': write(`import receive from './webhooks.post'
export default async (event) => {
  await event.req.json()
  return receive(event)
}`),
    },
  },
  {
    title: 'Astro',
    example: 'astro',
    package: 'astro',
    files: ['src/pages/webhooks.ts'],
    mistake: {
      'src/pages/parsed.ts': write(`import { POST as receive } from './webhooks.ts'
export const prerender = false
export const POST = async (context) => {
  await context.request.json()
  return receive(context)
}`),
    },
  },
  {
    title: 'React Router',
    example: 'react-router',
    package: 'react-router',
    files: ['app/routes/webhooks.ts'],
    mistake: {
      'app/routes/parsed.ts': write(`import { action as receive } from './webhooks'
export const action = async (args) => {
  await args.request.json()
  return receive(args)
}`),
      'app/routes.ts': (source) =>
        source.replace('] satisfies', `, route('parsed', 'routes/parsed.ts')] satisfies`),
    },
  },
  {
    title: 'Elysia',
    example: 'elysia',
    package: 'elysia',
    files: ['server.ts'],
    mistake: {
      'server.ts': insertBefore(
        '  .listen',
        `.post('/parsed', ({ request, body }) => (void body, receiver.handle(request)))`,
      ),
    },
  },
  {
    title: 'Bun',
    example: 'bun',
    package: 'bun',
    files: ['server.ts'],
    mistake: {
      'server.ts': (source) =>
        source.replace(
          'routes: {',
          `routes: { '/parsed': async (request) => {
            await request.json()
            return receiver.handle(request)
          },`,
        ),
    },
  },
  {
    title: 'Deno',
    example: 'deno',
    package: 'deno',
    files: ['server.ts'],
    mistake: {
      'server.ts': (source) =>
        source.replace(
          '}, receiver.handle)',
          `}, async (request) => {
            if (request.url.includes('/parsed?')) await request.json()
            return receiver.handle(request)
          })`,
        ),
    },
  },
  {
    title: 'Cloudflare Workers',
    example: 'cloudflare-workers',
    command: (port, secret) => [
      ...(['npm', 'start', '--silent', '--'] as const),
      ...['--port', `${port}`, '--inspector-port', '0', '--var', `WEBHOOK_TOKEN:${secret}`],
    ],
    package: 'wrangler',
    files: ['index.ts', 'wrangler.jsonc'],
    mistake: {
      'index.ts': insertBefore(
        '    return this.receiver.handle',
        `    if (request.url.includes('/parsed?')) return request.json().then(() => this.receiver.handle(request))`,
      ),
    },
  },
  {
    title: 'AWS Lambda',
    example: 'aws-lambda',
    package: 'node',
    files: ['index.ts', 'dynamo-dedupe.ts', 'inbox.ts', 'event.json'],
    notes: {
      'index.ts': `Without an inbox, a table of DynamoDB recognizes repeats:

\`\`\`sh
npm install wabakit && npm install --save-dev @aws-sdk/client-dynamodb esbuild   # Lambda has the client
aws dynamodb create-table --table-name wabakit-webhooks --billing-mode PAY_PER_REQUEST \\
  --attribute-definitions AttributeName=id,AttributeType=S --key-schema AttributeName=id,KeyType=HASH
aws dynamodb update-time-to-live --table-name wabakit-webhooks \\
  --time-to-live-specification Enabled=true,AttributeName=expiresAt
npx esbuild index.ts --bundle --platform=node --format=esm --external:@aws-sdk/* --outfile=dist/index.mjs
\`\`\``,
      'inbox.ts': `With PostgreSQL, [the inbox](inbox.md) stores each event before the response. \`pg\` needs a bundle in CommonJS:

\`\`\`sh
npm install wabakit pg && npm install --save-dev @types/pg esbuild
npx esbuild inbox.ts --bundle --platform=node --format=cjs --external:pg-native --outfile=dist/inbox.cjs
\`\`\`

The sender waits until the event is stored, then for the handlers: no handler starts after \`maxMs\`, and a running one may finish. Set the
function's timeout above both. If a handler or \`drain\` fails, the response is 200 all the same, and the event is handled later, by the next
request or by a second function with the handler \`handleStored\` that a schedule invokes, such as \`rate(1 minute)\`. Without it, an event waits
for the next request. Each instance needs three connections: limit the function's concurrency accordingly.`,
      'event.json': 'An event to test either function with:',
    },
    testEventPath: '/test-event',
    command: (port) => ['node', join(import.meta.dirname, 'lambda-gateway.ts'), 'dist/index.mjs', `${port}`],
    routes: [
      ['API Gateway, REST', 'api-gateway-v1'],
      ['API Gateway, HTTP', 'api-gateway-v2'],
      ['function URL', 'function-url'],
      ['load balancer', 'load-balancer'],
    ].map(([sender, path]) => ({
      suffix: `, ${sender}`,
      path: `/${path}/webhooks`,
      parsedPath: `/${path}/parsed`,
    })),
    mistake: {
      'index.ts': (source) =>
        `${source}
import type { LambdaEvent } from 'wabakit/webhooks/lambda'
export const parsed = (event: LambdaEvent) => handler({ ...event, body: { parsed: true } as never })
`,
    },
  },
  {
    title: 'Cloudflare Pages',
    example: 'cloudflare-pages',
    package: 'wrangler',
    files: ['functions/webhooks.ts'],
    command: (port, secret) => [
      ...(['npm', 'start', '--silent', '--'] as const),
      ...['--port', `${port}`, '--inspector-port', '0', '--binding', `WEBHOOK_TOKEN=${secret}`],
    ],
    mistake: {
      'functions/parsed.ts': write(`import { onRequestPost as receive } from './webhooks'
export const onRequestPost = async (context) => {
  await context.request.json()
  return receive(context)
}`),
    },
  },
  {
    title: 'Google Cloud Functions',
    example: 'google-cloud-functions',
    package: '@google-cloud/functions-framework',
    files: ['index.ts'],
    // The framework parses every body.
    mistake: {},
    routes: [{ suffix: '', path: '/webhooks', parsedPath: '/webhooks' }],
    bytesAreKept: true,
  },
]
