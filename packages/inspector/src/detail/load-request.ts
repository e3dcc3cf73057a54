import type { SentRequest } from '@wabakit/server/control-types'
import { sendOwn } from '../api/organization.ts'

export const loadRequest = (deliveryId: string, number: number): Promise<SentRequest> =>
  sendOwn(`/deliveries/${encodeURIComponent(deliveryId)}/attempts/${number}/request`)
