import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createReceiver, urlToken } from 'wabakit/webhooks'
import { toLambdaHandler } from 'wabakit/webhooks/lambda'
import { dynamoDedupe } from './dynamo-dedupe.ts'

// Instances share nothing but the table: memoryDedupe() would let each handle the same delivery.
const dedupe = dynamoDedupe(new DynamoDBClient({}), process.env.TABLE ?? 'wabakit-webhooks')

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  dedupe,
})
  .on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))
  // Without an inbox, these would be lost: a 422 may be the last time that a live service sends an event.
  .onDrift(({ name, raw }) => console.warn('drifted', name, JSON.stringify(raw)))
  .onUnknown(({ name, raw }) => console.warn('unknown', name, JSON.stringify(raw)))

export const handler = toLambdaHandler(receiver)
