import { Console } from 'node:console'
import { PassThrough } from 'node:stream'
import { createClient, type Logger } from '@wabakit/client'
import pino from 'pino'
import { expect, it } from 'vitest'
import winston from 'winston'

const fields = { method: 'POST', path: '/whatsapp/wa-group/create', status: 200, ms: 0, attempt: 1 }
const message = 'POST /whatsapp/wa-group/create 200 in 0 ms (attempt 1)'

const createGroup = (logger: Logger) =>
  createClient({
    baseUrl: 'https://api.example.com',
    apiKey: 'sk_test',
    logger,
    clock: { now: () => 0, sleep: async () => {} },
    fetch: async () => Response.json({ success: true, groupId: 'g' }),
  }).groups.create({ wabaNumber: '+15550001111', subject: 'Order 7' })

const readLine = (stream: PassThrough): unknown => JSON.parse(String(stream.read()))

it('logs every field and the message with pino', async () => {
  const stream = new PassThrough()
  await createGroup(pino({ level: 'debug' }, stream))
  expect(readLine(stream)).toMatchObject({ ...fields, message })
})

it('logs every field and the message with winston', async () => {
  const stream = new PassThrough()
  const transports = [new winston.transports.Stream({ stream })]
  await createGroup(winston.createLogger({ level: 'debug', transports }))
  expect(readLine(stream)).toEqual({ level: 'debug', ...fields, message })
})

it('logs every field and the message with a console', async () => {
  const stdout = new PassThrough()
  await createGroup(new Console({ stdout }))
  const text = String(stdout.read())
  for (const [name, value] of Object.entries({ ...fields, message })) {
    expect(text).toContain(typeof value === 'string' ? `${name}: '${value}'` : `${name}: ${value}`)
  }
})
