import { createReceiver, memoryDedupe, type Verifier } from 'wabakit/webhooks'
import { log } from '../log.ts'

export const createShop = (verify: Verifier) =>
  createReceiver({ verify, dedupe: memoryDedupe() })
    .on('CALL_ENDED', ({ callId }) => log(`${callId} has ended`))
    .on('CALL_AI_SUMMARY', ({ summary }) => log(summary.recap))
    .onError((error) => log(String(error)))
