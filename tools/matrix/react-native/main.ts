import './globals.js'
import { parseEvent, signWebhook, verifySignature } from 'wabakit/webhooks'
import { checkClient } from '../checks/client.ts'

const url = 'http://localhost'
const payload = JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupId: 'Köln 👋' })
const secret = `whsec_${'A'.repeat(32)}`

/** Checks the client, and how webhooks are parsed and verified. */
const checkAll = async (): Promise<string[]> => {
  const passed = await checkClient({ url, refusedUrl: `${url}/refused`, codes: false, browser: false })
  const check = (rule: string, isTrue: boolean, actual?: unknown) => {
    if (!isTrue) throw new Error(`Failed: ${rule}. Received ${actual}`)
    passed.push(rule)
  }
  check('parses an event', parseEvent(payload).kind === 'event')
  const { headers } = await signWebhook({ payload, secret, id: 'msg_1' })
  const verify = (body: string) =>
    verifySignature({ payload: body, headers, secrets: [secret] }).catch(String)
  const unverified = await verify(payload)
  check('reports that signatures need WebCrypto', `${unverified}`.includes('crypto.subtle'), unverified)
  Object.assign(globalThis, { crypto: Reflect.get(globalThis, 'cryptoOfApp') })
  const genuine = await verify(payload)
  check('accepts a genuine signature', typeof genuine !== 'string', genuine)
  const forged = await verify(payload.replace('JOINED', 'LEFT'))
  check('rejects a forged one', `${forged}`.startsWith('WebhookVerificationError'), forged)
  return passed
}

checkAll().then(
  (passed) => console.log(JSON.stringify({ passed })),
  (error) => console.log(JSON.stringify({ failed: String(error), stack: error.stack })),
)
