// Creates a group with the client, and delivers its webhook to the URL in the first argument.
import { createClient } from '@wabakit/client'
import { startServer } from '@wabakit/server'

const [endpoint = ''] = process.argv.slice(2)
const wabaNumber = '+15550100001'
const apiKey = 'wk_test_key_0123456789'
const organization = { id: 'acme', integrations: [{ wabaNumber }], apiKeys: [{ key: apiKey }] }
const server = await startServer({
  port: 0,
  database: ':memory:',
  logLevel: 'silent',
  organizations: [organization],
})
await server.service.subscriptions.create('acme', { channel: 'WHATSAPP', number: wabaNumber, url: endpoint })
await createClient({ baseUrl: server.url, apiKey }).groups.create({ wabaNumber, subject: 'Proxied' })
await server.service.dispatcher.runDue()
process.stdout.write(`${server.url}\n`)
process.stdin.once('data', () => server.close().then(() => process.exit()))
