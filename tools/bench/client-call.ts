import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createClient } from '@wabakit/client'
import ky from 'ky'
import OpenAI from 'openai'
import Stripe from 'stripe'
import { Svix } from 'svix'
import { type Contender, findRow, measure } from './src/measure.ts'
import { publish } from './src/result.ts'

const service = `
  const { createServer } = require('node:http')
  const responses = {
    '/whatsapp/wa-group/create': { success: true, groupId: 'order-7' },
    '/api/v1/app': { id: 'app_1', name: 'Order 7', createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z', metadata: {} },
    '/emails': { id: 'email_1' },
    '/v1/customers': { id: 'cus_1', object: 'customer', name: 'Order 7' },
  }
  createServer((request, response) => {
    request.resume().on('end', () => {
      const body = JSON.stringify(responses[request.url])
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-request-id': 'req_1' })
      response.end(body)
    })
  }).listen(0, '127.0.0.1', function () { process.stdout.write(String(this.address().port)) })
`
const child: ChildProcess = spawn(process.execPath, ['-e', service], { stdio: ['ignore', 'pipe', 'inherit'] })
const [chunk]: unknown[] = child.stdout ? await once(child.stdout, 'data') : []
const port = Number(String(chunk))
const baseUrl = `http://127.0.0.1:${port}`

const apiKey = 'sk_bench_0123456789'
const input = { wabaNumber: '+15550001111', subject: 'Order 7', groupId: 'order-7' }
const url = `${baseUrl}/whatsapp/wa-group/create`
const headers = { authorization: apiKey, 'content-type': 'application/json' }

const wabakit = createClient({ baseUrl, apiKey })
const openai = new OpenAI({ apiKey, baseURL: baseUrl })
const svix = new Svix(apiKey, { serverUrl: baseUrl })
const stripe = new Stripe(apiKey, { host: '127.0.0.1', port, protocol: 'http', telemetry: false })
// resend reads its base URL from the environment when it is imported.
process.env.RESEND_BASE_URL = baseUrl
const { Resend } = await import('resend')
const resend = new Resend(apiKey)

const calls: Record<string, () => Promise<unknown>> = {
  'raw fetch + JSON': async () =>
    (await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) })).json(),
  ky: () => ky.post(url, { json: input, headers: { authorization: apiKey } }).json(),
  wabakit: () => wabakit.groups.create(input),
  openai: () => openai.post('/whatsapp/wa-group/create', { body: input }),
  svix: () => svix.application.create({ name: 'Order 7' }),
  resend: async () => {
    const { data, error } = await resend.emails.send({ from: 'a@b.c', to: 'd@e.f', subject: 's', text: 't' })
    if (error) throw new Error(error.message)
    return data
  },
  'stripe (node:http)': () => stripe.customers.create({ name: 'Order 7' }),
}

const floor = 'raw fetch + JSON'
const contenders = Object.entries(calls).map(
  ([name, call]): Contender => ({
    name,
    floor: name === floor ? undefined : floor,
    run: async (count) => {
      for (let number = 0; number < count; number += 1) await call()
    },
  }),
)

try {
  for (const call of Object.values(calls)) for (let number = 0; number < 500; number += 1) await call()
  const rows = await measure(contenders, { rounds: 60, count: 100 })
  const own = findRow(rows, 'wabakit')
  publish({
    name: 'client-call',
    title: 'A client call over loopback',
    about: `One call to a service in another process. Each contender sends a small JSON object (stripe: a form) with its API
key and reads a small JSON object, as its documentation shows. The floor is \`fetch\` and \`JSON\`.`,
    unit: 'time',
    rows,
    goals: [
      {
        id: 'P3',
        what: 'time of a client call, relative to raw fetch',
        result: 1 / (own.ofFloor ?? NaN),
        limit: { atMost: 1.6 },
      },
      {
        id: 'P3',
        what: 'the same, relative to plain ky',
        result: own.time / findRow(rows, 'ky').time,
        limit: { atMost: 1 },
      },
    ],
  })
} finally {
  child.kill()
}
