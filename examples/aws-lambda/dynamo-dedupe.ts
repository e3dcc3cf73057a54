import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import type { Dedupe } from 'wabakit/webhooks'

const weekMs = 604_800_000

/** Resolves to false if the condition of a write was not met. */
const isWritten = (write: Promise<unknown>): Promise<boolean> =>
  write.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ConditionalCheckFailedException) return false
      throw error
    },
  )

/** Times of an item. DynamoDB deletes it some time after `expiresAt`, in seconds, so `validUntil` is compared. */
const createTimes = (ms: number): Record<':until' | ':expires', AttributeValue> => ({
  ':until': { N: `${Date.now() + ms}` },
  ':expires': { N: `${Math.ceil((Date.now() + ms) / 1000)}` },
})

/** Remembers deliveries in a table with the partition key `id`, a string, and `expiresAt` as its time to live. */
export const dynamoDedupe = (client: DynamoDBClient, TableName: string): Dedupe => ({
  claim: async (key, ttlMs) => {
    const id = { S: key }
    const claimId = { S: crypto.randomUUID() }
    const { ':until': validUntil, ':expires': expiresAt } = createTimes(ttlMs)
    const claimed = await isWritten(
      client.send(
        new PutItemCommand({
          TableName,
          Item: { id, claimId, validUntil, expiresAt, handled: { BOOL: false } },
          ConditionExpression: 'attribute_not_exists(id) OR validUntil < :now',
          ExpressionAttributeValues: { ':now': { N: `${Date.now()}` } },
        }),
      ),
    )
    if (!claimed) {
      const found = await client.send(new GetItemCommand({ TableName, Key: { id }, ConsistentRead: true }))
      return found.Item?.handled?.BOOL ? 'duplicate' : 'in_progress'
    }
    // Only the current claim may change the item, and nothing does once the delivery was handled.
    const ConditionExpression = 'claimId = :claim AND handled = :open'
    const values = { ':claim': claimId, ':open': { BOOL: false } }
    const update = (
      expressions: { readonly UpdateExpression: string; readonly ConditionExpression: string },
      more: Record<string, AttributeValue>,
    ) =>
      isWritten(
        client.send(
          new UpdateItemCommand({
            TableName,
            Key: { id },
            ...expressions,
            ExpressionAttributeValues: { ...values, ...more },
          }),
        ),
      )
    const keep = 'SET validUntil = :until, expiresAt = :expires'
    return {
      renew: (ms) => update({ UpdateExpression: keep, ConditionExpression }, createTimes(ms)),
      complete: () =>
        update(
          {
            UpdateExpression: `${keep}, handled = :done`,
            // Also if the claim has expired, and the next one was released.
            ConditionExpression: `attribute_not_exists(id) OR (${ConditionExpression})`,
          },
          { ...createTimes(weekMs), ':done': { BOOL: true } },
        ),
      release: () =>
        isWritten(
          client.send(
            new DeleteItemCommand({
              TableName,
              Key: { id },
              ConditionExpression,
              ExpressionAttributeValues: values,
            }),
          ),
        ),
    }
  },
})
