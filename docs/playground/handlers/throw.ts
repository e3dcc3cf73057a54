import { createReceiver, memoryDedupe, type Verifier } from 'wabakit/webhooks'
import { log } from '../log.ts'

// A handler that throws gets the event again: the receiver responds with 500, and the sender retries.
export const createShop = (verify: Verifier) =>
  createReceiver({ verify, dedupe: memoryDedupe() })
    .on('CALL_ENDED', ({ callId }) => log(`${callId} has ended`))
    .on('CALL_AI_SUMMARY', () => {
      throw new Error('The database is down.')
    })
    .onError((error) => log(String(error)))
