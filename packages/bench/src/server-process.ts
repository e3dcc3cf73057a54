import { serve } from '@hono/node-server'
import { startServer } from '@wabakit/server'
import { Hono } from 'hono'
import * as z from 'zod'

// Starts a server. The first argument is `hono`, `memory`, the path of a SQLite file, or the URL of a PostgreSQL database. The
// first line of output is the server's URL. It replies to every message with its CPU time in microseconds.

/** Starts the simplest implementation: Hono, zod, an API key and a map. */
const startHono = (): Promise<string> => {
  const CreateGroup = z.object({
    wabaNumber: z.string().min(1),
    subject: z.string().min(1).max(128),
    description: z.string().max(2_048).optional(),
    joinApprovalMode: z.enum(['auto_approve', 'approval_required']).optional(),
    groupId: z.string().min(1).max(50).optional(),
  })
  const groups = new Map<string, object>()
  const app = new Hono()
  app.post('/whatsapp/wa-group/create', async (c) => {
    if (c.req.header('authorization') !== 'wk_bench_0123456789')
      return c.json({ message: 'invalid key' }, 401)
    const parsed = CreateGroup.safeParse(await c.req.json())
    if (!parsed.success) return c.json({ issues: parsed.error.issues }, 400)
    const { groupId = crypto.randomUUID() } = parsed.data
    groups.set(groupId, parsed.data)
    return c.json({ success: true, groupId })
  })
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    )
  })
}

const startWabakit = async (database: string): Promise<string> => {
  const settings = {
    port: 0,
    database,
    logLevel: 'warn' as const,
    rateLimitPerKey: 0,
    rateLimitPerOrganization: 0,
    organizations: [
      {
        id: 'bench',
        integrations: [{ wabaNumber: '+15550100001' }],
        apiKeys: [{ key: 'wk_bench_0123456789' }],
      },
    ],
  }
  const { url } = await startServer(settings)
  return url
}

const [name = ''] = process.argv.slice(2)
console.log(await (name === 'hono' ? startHono() : startWabakit(name === 'memory' ? ':memory:' : name)))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
