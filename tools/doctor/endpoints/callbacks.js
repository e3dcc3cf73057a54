// A webhook endpoint on node:http in the callback style. FLAW selects its mistake. Without FLAW, it is correct. With
// STYLE=tires, it takes 200 ms for each request after the first twenty.
import cluster from 'node:cluster'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { appendFile } from 'node:fs'
import { createServer } from 'node:http'

const { FLAW, STYLE, EFFECTS, PORT, SECRET, PREVIOUS_SECRET } = process.env
const keys = [SECRET, PREVIOUS_SECRET].map((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'))
const maxBytes = 1_048_576
let seen = []
let current
let requests = 0

const isGenuine = (headers, body) => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': header } = headers
  if (!id || !header || !/^\d{1,12}$/.test(timestamp)) return false
  const toleranceSeconds = FLAW === 'five seconds' ? 5 : 300
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false
  return keys.some((key) => {
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
    const expected = Buffer.from(`v1,${digest}`)
    return header.split(' ').some((part) => {
      const given = Buffer.from(part)
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
  })
}

const parse = (body) => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

const isEvent = (event) =>
  typeof event === 'object' &&
  event !== null &&
  !Array.isArray(event) &&
  (event.event !== 'CALL_AI_SUMMARY' || typeof event.summary?.recap === 'string')

const remember = (id) => {
  if (seen.includes(id)) return false
  seen.push(id)
  if (FLAW === 'hundred ids') seen = seen.slice(-100)
  return true
}

const respond = (response, status) => {
  response.writeHead(status)
  response.end()
}

const handle = (event, response) => {
  current = response
  const callId = FLAW === 'numbers' && /^\d+$/.test(event.callId) ? Number(event.callId) : event.callId
  const line = `${callId} ${JSON.stringify(event.summary.recap)}\n`
  const save = () =>
    appendFile(EFFECTS, line, (error) => {
      // Another request may have replaced the variable, and would then get both responses.
      respond(FLAW === 'shared variable' ? current : response, error ? 500 : 200)
    })
  if (FLAW === 'shared variable') setTimeout(save, 20)
  else save()
}

const receive = (request, response, body) => {
  if (body.length > maxBytes) return respond(response, 413)
  const isVerified = FLAW !== 'JSON only' || /json/.test(request.headers['content-type'])
  if (isVerified && !isGenuine(request.headers, body)) return respond(response, 401)
  const event = parse(body)
  if (FLAW === 'null' ? event === undefined : !isEvent(event)) return respond(response, 400)
  // With the flaw, reading a field of null throws in a callback, which ends the process.
  const isSummary = event.event === 'CALL_AI_SUMMARY'
  if (!remember(request.headers['webhook-id']) || !isSummary) return respond(response, 200)
  handle(event, response)
}

const listener = (request, response) => {
  if (FLAW === 'parses the URL') response.path = new URL(request.url, 'http://localhost').pathname
  if (request.method !== 'POST') return respond(response, 405)
  const chunks = []
  let length = 0
  request.on('error', () => {})
  request.on('data', (chunk) => {
    length += chunk.length
    if (length <= maxBytes + chunk.length) chunks.push(chunk)
  })
  request.on('end', () => {
    // With the flaw, a character split between two chunks is lost.
    const joinTexts = () => Buffer.from(chunks.map(String).join(''))
    const body = FLAW === 'joins texts' ? joinTexts() : Buffer.concat(chunks)
    requests += 1
    if (STYLE === 'tires' && requests > 20) setTimeout(receive, 200, request, response, body)
    else receive(request, response, body)
  })
}

// Two processes with separate memories take turns.
if (FLAW === 'two processes' && cluster.isPrimary) {
  process.on('SIGTERM', () => process.exit())
  for (let count = 0; count < 2; count += 1) cluster.fork()
} else createServer(listener).listen(PORT, '127.0.0.1', 128)
