import { identifyEvent } from 'wabakit/webhooks'
import { receiver } from './receiver.ts'

type KafkaMessage = { readonly offset: string; readonly value: Uint8Array<ArrayBuffer> | null }
type KafkaPayload = { readonly topic: string; readonly partition: number; readonly message: KafkaMessage }

export const eachMessage = async ({ topic, partition, message: { offset, value } }: KafkaPayload) => {
  if (value === null) return // a tombstone
  const { key, identity } = await identifyEvent(value)
  await receiver.accept(value, { id: identity === 'none' ? `${partition}-${offset}` : key, source: topic })
}
