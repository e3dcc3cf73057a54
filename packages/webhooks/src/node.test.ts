import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createReceiver, generateSecret, signWebhook, standardWebhooks } from './index.ts'
import { toNodeHandler } from './node.ts'

const secret = generateSecret()

it('receives a signed event over node:http', async () => {
  const joined: string[] = []
  const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) }).on(
    'GROUP_PARTICIPANT_JOINED',
    (event) => joined.push(event.groupId),
  )
  const server = createServer(toNodeHandler(receiver)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  const payload = JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupId: 'g-1' })
  const { headers } = await signWebhook({ payload, secret })
  expect((await fetch(url, { method: 'POST', body: payload, headers })).status).toBe(200)
  expect(joined).toEqual(['g-1'])

  const forged = await fetch(url, { method: 'POST', body: payload.replace('g-1', 'g-2'), headers })
  expect(forged.status).toBe(401)
  expect(await forged.json()).toMatchObject({ code: 'no_matching_signature' })
  expect(joined).toEqual(['g-1'])
})
