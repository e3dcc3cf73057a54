import type { SentRequest } from '@wabakit/server/control-types'
import { sendOwn } from '../api/organization.ts'

/** Loads the request of an attempt as it was sent. */
export const loadRequest = (deliveryId: string, number: number): Promise<SentRequest> =>
  sendOwn(`/deliveries/${encodeURIComponent(deliveryId)}/attempts/${number}/request`)
