import { createServer } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { startServer } from '@wabakit/server'
import { Hono } from 'hono'
import * as z from 'zod'
import { listen, serveCommands } from './commands.ts'

// Starts a server, and sends its URL. The argument is `node`, `hono`, `memory`, the path of a SQLite file or the URL of
// a PostgreSQL database. `node` and `hono` are the floors: minimal servers that check the API key, validate the
// body, and add the group to a map.
const CreateGroup = z.object({
  wabaNumber: z.string().min(1),
  subject: z.string().min(1).max(128),
  description: z.string().max(2_048).optional(),
  joinApprovalMode: z.enum(['auto_approve', 'approval_required']).optional(),
  groupId: z.string().min(1).max(50).optional(),
})
const key = 'wk_bench_0123456789'
const groups = new Map<string, object>()

const createGroup = (
  sentKey: string | undefined,
  body: unknown,
): { status: 200 | 400 | 401; body: object } => {
  if (sentKey !== key) return { status: 401, body: { message: 'invalid key' } }
  const parsed = CreateGroup.safeParse(body)
  if (!parsed.success) return { status: 400, body: { issues: parsed.error.issues } }
  const { groupId = crypto.randomUUID() } = parsed.data
  groups.set(groupId, parsed.data)
  return { status: 200, body: { success: true, groupId } }
}

const startHono = (): Promise<string> => {
  const app = new Hono()
  app.post('/whatsapp/wa-group/create', async (c) => {
    const { status, body } = createGroup(c.req.header('authorization'), await c.req.json())
    return c.json(body, status)
  })
  return listen(createAdaptorServer({ fetch: app.fetch }))
}

const startNode = (): Promise<string> =>
  listen(
    createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const sent = JSON.parse(Buffer.concat(chunks).toString())
        const created = createGroup(request.headers.authorization, sent)
        const text = JSON.stringify(created.body)
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
        response.writeHead(created.status, headers).end(text)
      })
    }),
  )

const startWabakit = async (database: string): Promise<string> => {
  const { url } = await startServer({
    port: 0,
    database,
    logLevel: 'warn',
    rateLimitPerKey: 0,
    rateLimitPerOrganization: 0,
    organizations: [{ id: 'bench', integrations: [{ wabaNumber: '+15550100001' }], apiKeys: [{ key }] }],
  })
  return url
}

const [name = ''] = process.argv.slice(2)
const start =
  { node: startNode, hono: startHono }[name] ?? (() => startWabakit(name === 'memory' ? ':memory:' : name))
serveCommands({}, await start())
