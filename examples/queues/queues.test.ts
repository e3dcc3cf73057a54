import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { fixtures } from 'wabakit/mock'

process.env.DATABASE = ':memory:'
const { receiver } = await import('./receiver.ts')
const handled: string[] = []
receiver.on(['CALL_AI_SUMMARY', 'CALL_ENDED', 'CALL_NOT_PICKED'], ({ callId }) => handled.push(callId))

const takeHandled = async (): Promise<string[]> => {
  expect((await receiver.drain()).remaining).toBe(0)
  return handled.splice(0)
}

const build = (callId: string) => fixtures.event('CALL_AI_SUMMARY', { callId })

// The shapes follow the documentation of AWS and kafkajs.

test('an SQS queue: each message is handled once, and those that cannot be stored are reported', async () => {
  const { handler } = await import('./sqs.ts')
  const toRecord = (messageId: string, body: string, MessageDeduplicationId: string) => ({
    messageId,
    receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a...',
    body,
    attributes: {
      MessageDeduplicationId,
      ApproximateReceiveCount: '1',
      SentTimestamp: '1545082649183',
      SenderId: 'AIDAIENQZJOLO23YVJ4VO',
      ApproximateFirstReceiveTimestamp: '1545082649185',
    },
    messageAttributes: {},
    md5OfBody: 'e4e68fb7bd0e697a0ae8f1bb342846b3',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:webhooks',
    awsRegion: 'us-east-1',
  })
  const { createForwarder } = await import('./forward.ts')
  process.env.WEBHOOK_TOKEN = 'a-long-random-token'
  const records: ReturnType<typeof toRecord>[] = []
  const forwarder = createForwarder(async ({ MessageBody, MessageDeduplicationId, MessageGroupId }) => {
    expect(MessageGroupId).toBe('call:call-sqs')
    records.push(toRecord(crypto.randomUUID(), MessageBody, MessageDeduplicationId))
  })
  const events = [build('call-sqs'), fixtures.event('CALL_ENDED', { callId: 'call-sqs' })]
  const notPicked = { event: 'CALL_NOT_PICKED', callId: 'call-sqs' }
  for (const event of [...events, ...events, notPicked, notPicked]) {
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://localhost?token=a-long-random-token', {
      method: 'POST',
      headers,
      body: JSON.stringify(event),
    })
    expect((await forwarder.handle(request)).status).toBe(200)
  }
  for (let times = 0; times < 2; times += 1)
    expect(await handler({ Records: records })).toEqual({ batchItemFailures: [] })
  // The two summaries are one event, and so are the two ends. The two agents who did not answer are two events.
  expect(await takeHandled()).toEqual(Array.from({ length: 4 }, () => 'call-sqs'))

  const unusable = {
    ...toRecord('', '', ''),
    messageId: '2e1424d4-f796-459a-8184-9c92662be6da',
    body: 5 as unknown as string,
  }
  expect(await handler({ Records: [unusable] })).toEqual({
    batchItemFailures: [{ itemIdentifier: unusable.messageId }],
  })
})

test('a Kafka topic: a message that is read again, or was sent again, is handled once', async () => {
  const { eachMessage } = await import('./kafka.ts')
  const message = {
    key: Buffer.from('call-kafka'),
    value: Buffer.from(JSON.stringify(build('call-kafka'))),
    timestamp: '1545082649183',
    attributes: 0,
    offset: '42',
    headers: {},
    size: 900,
  }
  const payload = {
    topic: 'webhooks',
    partition: 3,
    message,
    heartbeat: async () => {},
    pause: () => () => {},
  }
  const ended = Buffer.from(JSON.stringify(fixtures.event('CALL_ENDED', { callId: 'ended-kafka' })))
  const notPicked = Buffer.from('{"event":"CALL_NOT_PICKED","callId":"not-picked-kafka"}')
  const values = [message.value, message.value, ended, ended, notPicked, notPicked, null]
  for (let times = 0; times < 2; times += 1) {
    for (const [index, value] of values.entries())
      await eachMessage({ ...payload, message: { ...message, offset: `${index}`, value } })
  }
  const expected = ['call-kafka', 'ended-kafka', 'not-picked-kafka', 'not-picked-kafka']
  expect((await takeHandled()).toSorted()).toEqual(expected)
})

test('an EventBridge bus: an event that is delivered again is handled once', async () => {
  const { handler } = await import('./eventbridge.ts')
  const event = {
    version: '0',
    id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
    'detail-type': 'CALL_AI_SUMMARY',
    source: 'com.example.calls',
    account: '111122223333',
    time: '2026-01-01T10:00:00Z',
    region: 'us-west-1',
    resources: [],
    detail: build('call-bus'),
  }
  const notPicked = { event: 'CALL_NOT_PICKED', callId: 'not-picked-bus' }
  for (const id of ['1', '2', '2']) {
    await handler({ ...event, id })
    await handler({ ...event, id, detail: notPicked })
  }
  expect((await takeHandled()).toSorted()).toEqual(['call-bus', 'not-picked-bus', 'not-picked-bus'])
})

test('each snippet of docs/queues.md is identical to an example', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/queues.md'), 'utf8')
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
  const files = ['forward.ts', 'sqs.ts', 'kafka.ts', 'eventbridge.ts']
  expect(blocks).toEqual(files.map((file) => readFileSync(resolve(import.meta.dirname, file), 'utf8')))
})
