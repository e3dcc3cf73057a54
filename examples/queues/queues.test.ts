import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { fixtures } from 'wabakit/mock'

process.env.DATABASE = ':memory:'
const { receiver } = await import('./receiver.ts')
const handled: string[] = []
receiver.on('CALL_AI_SUMMARY', ({ callId }) => handled.push(callId))

const takeHandled = async (): Promise<string[]> => {
  expect((await receiver.drain()).remaining).toBe(0)
  return handled.splice(0)
}

const build = (callId: string) => fixtures.event('CALL_AI_SUMMARY', { callId })

// The shapes follow the documentation of AWS and kafkajs.

test('an SQS queue: each message is handled once, and those that cannot be stored are reported', async () => {
  const { handler } = await import('./sqs.ts')
  const toRecord = (messageId: string, body: string) => ({
    messageId,
    receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a...',
    body,
    attributes: {
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
  const first = toRecord('059f36b4-87a3-44ab-83d2-661975830a7d', JSON.stringify(build('call-sqs')))
  expect(await handler({ Records: [first] })).toEqual({ batchItemFailures: [] })
  expect(await handler({ Records: [first] })).toEqual({ batchItemFailures: [] })
  expect(await takeHandled()).toEqual(['call-sqs'])

  const unusable = {
    ...first,
    messageId: '2e1424d4-f796-459a-8184-9c92662be6da',
    body: 5 as unknown as string,
  }
  expect(await handler({ Records: [unusable] })).toEqual({
    batchItemFailures: [{ itemIdentifier: unusable.messageId }],
  })
})

test('a Kafka topic: a message that is read again is handled once', async () => {
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
  await eachMessage(payload)
  await eachMessage(payload)
  await eachMessage({ ...payload, message: { ...message, offset: '43', value: null } })
  expect(await takeHandled()).toEqual(['call-kafka'])
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
  await handler(event)
  await handler(event)
  expect(await takeHandled()).toEqual(['call-bus'])
})

test('each snippet of docs/queues.md is identical to an example', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/queues.md'), 'utf8')
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
  const files = ['sqs.ts', 'kafka.ts', 'eventbridge.ts']
  expect(blocks).toEqual(files.map((file) => readFileSync(resolve(import.meta.dirname, file), 'utf8')))
})
