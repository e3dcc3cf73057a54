import { createClient } from '@wabakit/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSql } from '../../../tools/torture/postgres-sql.ts'
import { type RunningServer, startServer } from '../src/index.ts'
import { acme, control, createGroup } from './fixture.ts'
import { createPostgresDatabase } from './shared-cluster.ts'
import { createTcpProxy, type TcpProxy } from './tcp-proxy.ts'

// PostgreSQL commits, but its response never arrives.
let address: string
let proxy: TcpProxy
let server: RunningServer

beforeAll(async () => {
  address = await createPostgresDatabase()
  const database = new URL(address)
  proxy = await createTcpProxy(Number(database.port))
  database.port = String(proxy.port)
  server = await startServer({ port: 0, database: database.href, logLevel: 'silent', organizations: [acme] })
})

afterAll(async () => {
  await server.close()
  await proxy.close()
})

const countGroups = async (subject: string): Promise<unknown> => {
  const sql = 'SELECT count(*)::integer AS groups FROM wabakit.groups WHERE subject = $1'
  return (await runSql(address, sql, [subject]))[0]?.groups
}

test('a create with an unconfirmed commit gets 503 outcome_unknown without Retry-After', async () => {
  proxy.loseResponseTo('Lost team')
  const response = await createGroup(server.url, { subject: 'Lost team' })
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBeNull()
  expect(await response.json()).toMatchObject({ statusCode: 503, code: 'outcome_unknown' })
  expect(await countGroups('Lost team')).toBe(1)
})

test('an unconfirmed change through the control API gets the same response, and a read gets 503 storage_unavailable', async () => {
  proxy.loseResponseTo('+15550100077')
  const change = { pstnNumbers: ['+15550100077'] }
  const changed = await control(server, 'PATCH /organizations/acme', change)
  expect(changed).toMatchObject({ status: 503, body: { code: 'outcome_unknown' } })
  expect(changed.headers.get('retry-after')).toBeNull()
  proxy.loseResponseTo('lost_call')
  const read = await control(server, 'GET /organizations/acme/calls/lost_call')
  expect(read).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } })
  expect(read.headers.get('retry-after')).toBe('1')
})

test.each([
  ['a generated groupId', true],
  ['no groupId at all', false],
])(
  'the client makes one group of a create with %s, and says that it does not know',
  async (name, generateGroupIds) => {
    const client = createClient({ baseUrl: server.url, apiKey: 'wk_test_key_0123456789', generateGroupIds })
    for (const round of [1, 2, 3]) {
      const subject = `${name} ${round}`
      proxy.loseResponseTo(subject)
      const created = client.groups.create({ wabaNumber: '+15550100001', subject })
      const error = await created.then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(await countGroups(subject)).toBe(1)
      expect(error).toMatchObject({
        name: 'OutcomeUnknownError',
        cause: { status: 503, code: 'outcome_unknown' },
      })
      expect(error).toHaveProperty('groupId', generateGroupIds ? expect.any(String) : undefined)
    }
  },
)
