import { createHmac } from 'node:crypto'
import type { EventName } from '@wabakit/contract'
import { eventExamples } from '@wabakit/contract/documents'

/** A webhook as the service sends it, before signing. */
export type Delivery = {
  /** The `webhook-id`. */
  readonly id: string
  /** The `callId` or `groupId`. Deliveries share it only if the check requires that. */
  readonly subject: string
  readonly body: Buffer
}

/** The events of an answered incoming call, in the order they are sent. */
export const callInOrder = [
  'CALL_INCOMING_INITIATED',
  'CALL_ACCEPTED',
  'CALL_ENDED',
  'CALL_AI_SUMMARY',
] as const satisfies readonly EventName[]

/** Returns the contract's example of an event, with the id of this call or group. */
export const buildEvent = (name: EventName, subject: string): Record<string, unknown> => ({
  ...eventExamples[name],
  ...(name.startsWith('GROUP_') ? { groupId: subject } : { callId: subject }),
})

/** Capitalizes each word of a header name: `Webhook-Id`. */
export const capitalize = (name: string): string => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())

/**
 * Creates an id generator. All ids of one kind have the same length, so that none is part of another. Within a run, each is unique
 * by its first 12 characters, so that an endpoint that cuts ids to these takes no usual delivery for another.
 */
export const createIds = (run: string) => {
  let count = 0
  const next = (): string => {
    count += 1
    return String(count).padStart(5, '0')
  }
  return {
    createWebhookId: () => `msg_${next()}_doctor_${run}`,
    createSubject: () => `doctor_${next()}_${run}`,
  }
}

/** Returns the bytes of a Standard Webhooks secret. */
export const decodeKey = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

export const signContent = (key: string | Uint8Array, ...content: readonly (string | Uint8Array)[]): string =>
  content.reduce((hmac, part) => hmac.update(part), createHmac('sha256', key)).digest('base64')

/** Signs a delivery according to Standard Webhooks 1.0, "Signature scheme". */
export const signDelivery = (
  key: string | Uint8Array,
  { id, timestamp, body }: { id: string; timestamp: string; body: Uint8Array },
): string => signContent(key, `${id}.${timestamp}.`, body)
