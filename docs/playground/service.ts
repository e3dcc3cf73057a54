// The service and three endpoints, all in this tab. Its only way out would be `fetch`, which this file replaces.
import { createMock } from 'wabakit/mock'
import { createReceiver, generateSecret, standardWebhooks, type Verifier } from 'wabakit/webhooks'
import { bearerToken, secret, tokenInUrl } from './account.ts'
import * as handleAgain from './handlers/handle-again.ts'
import * as handleOnce from './handlers/handle-once.ts'
import * as throwing from './handlers/throw.ts'
import { listeners } from './log.ts'
import * as bearer from './verifiers/bearer.ts'
import * as signature from './verifiers/signature.ts'
import * as inUrl from './verifiers/url-token.ts'
import * as wrongSecret from './verifiers/wrong-secret.ts'

type Shop = { readonly createShop: (verify: Verifier) => Endpoint }
type Endpoint = { handle(request: Request): Response | Promise<Response> }

const verifiers: Readonly<Record<string, { readonly verify: Verifier }>> = {
  signature,
  bearer,
  'url-token': inUrl,
  'wrong-secret': wrongSecret,
}
const handlers: Readonly<Record<string, Shop>> = {
  'handle-once': handleOnce,
  'handle-again': handleAgain,
  throw: throwing,
}

/** Receives the shop's deliveries as the reader has chosen. */
const createShop = (verifier: string, handler: string): Endpoint => {
  const [{ verify } = signature, { createShop: create } = handleOnce] = [
    verifiers[verifier],
    handlers[handler],
  ]
  return create(verify)
}

export const mock = await createMock()

const crmSecret = generateSecret()
const endpoints = new Map<string, Endpoint>([
  ['shop.example', createShop('signature', 'handle-once')],
  ['crm.example', createReceiver({ verify: standardWebhooks({ secrets: [crmSecret] }) }).onAny(() => {})],
  ['failing.example', { handle: () => new Response('The service is down.', { status: 503 }) }],
])

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init)
  const endpoint = endpoints.get(new URL(request.url).hostname)
  if (endpoint !== undefined) return endpoint.handle(request)
  throw new TypeError('Nothing is sent anywhere: the playground has only its three endpoints.')
}

const subscribe = (url: string, options: Partial<Parameters<typeof mock.subscribe>[0]> = {}) =>
  mock.subscribe({ channel: 'PSTN', url, ...options })
const shop = await subscribe(`https://shop.example/webhooks?token=${tokenInUrl}`, {
  secret,
  authorization: { token: bearerToken },
})
await subscribe('https://crm.example/webhooks', { secret: crmSecret })
await subscribe('https://failing.example/webhooks')

/** Faults of the next CALL_ENDED to the shop, by their names on the page. */
const faults = {
  duplicate: { kind: 'duplicate' },
  drop: { kind: 'drop' },
  tamper: { kind: 'tamper', part: 'body' },
  delay: { kind: 'delay', by: '1m' },
} as const

/** The actions of the buttons around this frame. */
export const playground = {
  simulateCall: () => mock.simulateCall({ channel: 'PSTN', summary: { after: '30s' } }),
  advance: (duration: '30s' | '5m' | '1h') => mock.clock.advance(duration),
  addFault: (name: keyof typeof faults) =>
    void mock.faults.deliveries.add({ ...faults[name], event: 'CALL_ENDED', to: shop }),
  choose: (verifier: string, handler: string) =>
    void endpoints.set('shop.example', createShop(verifier, handler)),
  onLog: (listener: (text: string) => void) => void listeners.add(listener),
}

export type Playground = typeof playground
