import { sendOwn } from '../api/organization.ts'
import type { SentRequest } from '../api/types.ts'

/** Loads the request of an attempt as it was sent. */
export const loadRequest = (deliveryId: string, number: number): Promise<SentRequest> =>
  sendOwn(`/deliveries/${encodeURIComponent(deliveryId)}/attempts/${number}/request`)
