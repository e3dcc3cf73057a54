import { createReceiver, type Verifier } from 'wabakit/webhooks'
import { log } from '../log.ts'

// Without `dedupe`, a delivery that arrives twice is handled twice.
export const createShop = (verify: Verifier) =>
  createReceiver({ verify })
    .on('CALL_ENDED', ({ callId }) => log(`${callId} has ended`))
    .on('CALL_AI_SUMMARY', ({ summary }) => log(summary.recap))
    .onError((error) => log(String(error)))
