import { once } from 'node:events'
import { createServer } from 'node:http'
import { createClient } from 'wabakit'
import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

/** Starts the application under test: one page that lists its groups and the summaries of its calls. */
export const startApp = async ({ baseUrl, apiKey, wabaNumber, secret }) => {
  const client = createClient({ baseUrl, apiKey })
  const lines = []
  const verify = standardWebhooks({ secrets: [secret] })
  const receiver = createReceiver({ verify, dedupe: memoryDedupe() })
    .on('GROUP_CREATED', (event) => lines.push(`Group ${event.groupName}`))
    .on('CALL_AI_SUMMARY', (event) => lines.push(`Call: ${event.summary.recap}`))
  const handleWebhook = toNodeHandler(receiver)

  const page = () => `<!doctype html><title>Orders</title>
    <form method="post" action="/groups"><label>Subject <input name="subject"></label><button>Create group</button></form>
    <ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>`

  const createGroup = async (request) => {
    let form = ''
    for await (const chunk of request) form += chunk
    const subject = new URLSearchParams(form).get('subject')
    await client.groups.create({ wabaNumber, subject })
  }

  const server = createServer(async (request, response) => {
    if (request.url === '/webhooks') return handleWebhook(request, response)
    if (request.url === '/groups') {
      await createGroup(request)
      return response.writeHead(303, { location: '/' }).end()
    }
    response.writeHead(200, { 'content-type': 'text/html' }).end(page())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
