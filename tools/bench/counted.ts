import { createHmac, timingSafeEqual } from 'node:crypto'
import { openSync, readSync, writeSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'
import { payload } from './src/call-ai-summary.ts'

// node counted.ts <workload> <count> [<control> <acknowledgment>]
//
// Performs an operation `count` times, and prints the mean number of bytes that it allocates. The last two arguments
// are FIFOs. Through them, this script tells perf when to count instructions. It uses no sockets and no other
// processes, so that the counts barely vary.

type Operation = () => unknown

const prepareWebhook = async () => {
  const { generateSecret, signWebhook } = await import('@wabakit/webhooks')
  const secret = generateSecret()
  // Keeps the signature valid while the workload runs.
  const timestamp = Math.floor(Date.now() / 1_000) + 240
  return { secret, ...(await signWebhook({ payload, secret, id: 'msg_1', timestamp })) }
}

const workloads: Readonly<Record<string, () => Operation | Promise<Operation>>> = {
  'the floor of P1': () => {
    const body = Buffer.from(payload)
    const key = Buffer.alloc(32)
    const sign = () => createHmac('sha256', key).update('msg_1.1.').update(body).digest()
    const signature = sign()
    return () => {
      if (!timingSafeEqual(sign(), signature)) throw new Error('no match')
      return JSON.parse(body.toString())
    }
  },
  'P1 verify, parse and validate': async () => {
    const { parseEvent, verifySignature } = await import('@wabakit/webhooks')
    const { secret, headers } = await prepareWebhook()
    const body = Buffer.from(payload)
    return async () => {
      await verifySignature({ payload: body, headers, secrets: [secret] })
      if (parseEvent(body).kind !== 'event') throw new Error('not an event')
    }
  },
  'P2 receive a webhook': async () => {
    const { createReceiver, standardWebhooks } = await import('@wabakit/webhooks')
    const { secret, headers } = await prepareWebhook()
    const receiver = createReceiver({ verify: standardWebhooks({ secrets: [secret] }) }).onAny(() => {})
    return async () => {
      const request = new Request('http://localhost/webhooks', { method: 'POST', body: payload, headers })
      const { status } = await receiver.handle(request)
      if (status !== 200) throw new Error(`status ${status}`)
    }
  },
  'P4 create a group in memory': async () => {
    const { createReferenceServer, memoryStore } = await import('@wabakit/core')
    const apiKey = 'sk_bench_0123456789'
    const wabaNumber = '+15550001111'
    const server = createReferenceServer({
      organizations: [
        {
          id: 'org',
          integrations: [{ wabaNumber, enabled: true, joinApprovalMode: 'auto_approve' }],
          pstnNumbers: [],
          apiKeys: [{ key: apiKey, wabaNumbers: 'all' }],
          callSummaries: 'automatic',
        },
      ],
      store: memoryStore(),
      rateLimit: false,
    })
    const headers = { authorization: apiKey, 'content-type': 'application/json' }
    const url = 'http://localhost/whatsapp/wa-group/create'
    let number = 0
    return async () => {
      number += 1
      const body = JSON.stringify({ wabaNumber, subject: 'Order 7', groupId: `order-${number}` })
      const { status } = await server.fetch(new Request(url, { method: 'POST', headers, body }))
      if (status !== 200) throw new Error(`status ${status}`)
    }
  },
  'P8 start the mock, until its first response': async () => {
    const { createMock } = await import('@wabakit/mock')
    // Loads the fetch of Node.js, which the first user of Request loads, and which would hide what the mock allocates.
    void globalThis.Request
    return async () => {
      const mock = await createMock()
      await mock.fetch(`${mock.url}/v1/call/ai-summary?callId=x`)
    }
  },
}

const [, , name = '', count = '', control, acknowledgment] = process.argv

/** Sends a command to perf, and waits until perf acknowledges it. */
const controlPerf = (() => {
  if (control === undefined || acknowledgment === undefined) return () => {}
  const commands = openSync(control, 'w')
  const answers = openSync(acknowledgment, 'r')
  return (command: 'enable' | 'disable') => {
    writeSync(commands, `${command}\n`)
    readSync(answers, Buffer.alloc(5))
  }
})()

const operation = await workloads[name]?.()
if (operation === undefined) throw new Error(`There is no workload "${name}".`)
// The warm-up compiles most code before counting starts. A count of 1 measures a cold start, without a warm-up.
for (let done = 0; done < Number(count) / 2 - 1; done += 1) await operation()
const before = getHeapStatistics().total_allocated_bytes
controlPerf('enable')
for (let done = 0; done < Number(count); done += 1) await operation()
controlPerf('disable')
const after = getHeapStatistics().total_allocated_bytes
console.log(JSON.stringify({ bytes: (after - before) / Number(count) }))
// Timers of the mock or the server might keep the process alive.
process.exit()
