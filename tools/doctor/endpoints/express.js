// A webhook endpoint on Express. FLAW selects its mistake. Without FLAW, it is correct.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import express from 'express'

const { FLAW, EFFECTS, PORT, SECRET, PREVIOUS_SECRET } = process.env
const toKey = (secret) =>
  FLAW === 'secret as text' ? secret : Buffer.from(secret.slice('whsec_'.length), 'base64')
const seen = new Set()

const isGenuine = (request) => {
  const id = request.get('webhook-id')
  const timestamp = request.get('webhook-timestamp')
  const given = request.get('webhook-signature')?.split(' ') ?? []
  if (!id || !/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - timestamp) > 300) return false
  const expected = [SECRET, PREVIOUS_SECRET].map((secret) => {
    const hmac = createHmac('sha256', toKey(secret)).update(`${id}.${timestamp}.`).update(request.body)
    return hmac.digest()
  })
  const matches = (part) => {
    const signature = Buffer.from(part.slice('v1,'.length), 'base64')
    return expected.some((each) => signature.length === each.length && timingSafeEqual(signature, each))
  }
  const known = given.filter((part) => part.startsWith('v1,'))
  // With the flaw, an empty list of signatures matches.
  return FLAW === 'every' ? known.every(matches) : known.some(matches)
}

/** Copies fields recursively. Fields copied into `__proto__` appear in every object. */
const merge = (target, source) => {
  for (const key of Object.keys(source)) {
    if (typeof source[key] !== 'object' || source[key] === null) target[key] = source[key]
    else target[key] = merge(target[key] ?? {}, source[key])
  }
  return target
}

const parse = (body) => {
  const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  if (typeof event !== 'object' || event === null || Array.isArray(event)) throw new Error('not an event')
  return FLAW === 'merges' ? merge({}, event) : event
}

const app = express()
app.disable('x-powered-by')
app.post(
  '/webhooks',
  express.raw({ type: '*/*', limit: FLAW === 'small limit' ? '2kb' : '1mb' }),
  async (request, response) => {
    const type = request.get('content-type')
    if (FLAW === 'one type' && !/^application\/json(; charset=utf-8)?$/.test(type))
      return response.sendStatus(415)
    const isTest = FLAW === 'test mode' && request.query.debug === 'true'
    if (!Buffer.isBuffer(request.body) || !(isTest || isGenuine(request))) return response.sendStatus(401)
    try {
      const { event, callId, groupId = 'no group', summary } = parse(request.body)
      const id = request.get('webhook-id')
      if (FLAW === 'SQL text' && summary?.recap.includes("'")) throw new Error('syntax error in SQL')
      if (event === 'CALL_AI_SUMMARY' && !seen.has(id)) {
        const line = `${callId} ${groupId} ${JSON.stringify(summary.recap)}\n`
        seen.add(id)
        await appendFile(EFFECTS, line)
        if (FLAW === 'fails late') return response.sendStatus(500)
      }
      response.json({ received: true })
    } catch {
      response.sendStatus(400)
    }
  },
)
app.use('/webhooks', (_request, response) => response.sendStatus(405))
app.use((error, _request, response, _next) => response.sendStatus(error.status ?? 400))
app.listen(PORT, '127.0.0.1')
