import { createServer } from 'node:http'
import { createClient } from 'wabakit'
import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

// The application under test: one page that creates groups, and lists them and the summaries of calls.

const { WABAKIT_BASE_URL, WABAKIT_API_KEY, WABAKIT_WABA_NUMBER, WEBHOOK_TOKEN, PORT = '0' } = process.env
const client = createClient({ baseUrl: WABAKIT_BASE_URL, apiKey: WABAKIT_API_KEY })
const lines = []
const receiver = createReceiver({ verify: urlToken({ token: WEBHOOK_TOKEN }), dedupe: memoryDedupe() })
  .on('GROUP_CREATED', (event) => lines.push(`Group ${event.groupName}`))
  .on('CALL_AI_SUMMARY', (event) => lines.push(`Call: ${event.summary.recap}`))
const handleWebhook = toNodeHandler(receiver)

/** Prevents text of the service from becoming markup. */
const escapeHtml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const formatPage = (problem) => `<!doctype html><title>Orders</title>
  <form method="post" action="/groups"><label>Subject <input name="subject"></label><button>Create group</button></form>
  ${problem === undefined ? '' : `<p role="alert">No group was created: ${escapeHtml(problem)}</p>`}
  <ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`

const sendPage = (response, status, problem) =>
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(formatPage(problem))

const createGroup = async (request, response) => {
  let form = ''
  for await (const chunk of request) form += chunk
  const subject = new URLSearchParams(form).get('subject')
  try {
    await client.groups.create({ wabaNumber: WABAKIT_WABA_NUMBER, subject })
    response.writeHead(303, { location: '/' }).end()
  } catch (error) {
    sendPage(response, 502, error.message)
  }
}

const server = createServer((request, response) => {
  if (request.url.startsWith('/webhooks?')) return handleWebhook(request, response)
  if (request.url === '/groups') return createGroup(request, response)
  return sendPage(response, 200)
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
