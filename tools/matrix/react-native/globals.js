// The globals that React Native has and the command line of Hermes lacks. As in React Native, `fetch` and
// signals come from two packages. There is no URL.parse, no WebCrypto, no streams, no performance, no
// signal.reason.
import { AbortController, AbortSignal } from 'abort-controller/dist/abort-controller'
import { hmac } from 'fast-sha256'
import { Headers, Request, Response } from 'whatwg-fetch'

// The command line runs timers at once, in the order in which they were started. These run in the order of their times.
const runSoon = globalThis.setTimeout
const timers = new Map()
let time = 0
let lastTimer = 0

const runNextTimer = () => {
  const [next] = [...timers].sort(([, left], [, right]) => left.at - right.at)
  if (next === undefined) return
  const [timer, { at, run }] = next
  timers.delete(timer)
  time = at
  run()
}

const setTimeout = (run, ms = 0) => {
  lastTimer += 1
  timers.set(lastTimer, { at: time + ms, run })
  runSoon(runNextTimer)
  return lastTimer
}

const visits = new Map()

/** The service of ../service.ts in process, because the command line of Hermes has no network. */
const respond = (behavior, visitor, { method, url, headers, body }) => {
  const key = `${behavior}/${visitor}`
  visits.set(key, (visits.get(key) ?? 0) + 1)
  const isFirst = visits.get(key) === 1
  const recap = JSON.stringify(Object.fromEntries(new Headers(headers).entries()))
  const callId = decodeURIComponent(url.split('callId=')[1] ?? '')
  const success =
    method === 'POST'
      ? [200, { success: true, groupId: JSON.parse(body).groupId }]
      : [200, { callId, summary: { recap, keyPoints: [], nextSteps: [] } }]
  switch (behavior) {
    case 'ok':
      return success
    case 'once':
      return isFirst ? [503, { code: 'storage_unavailable' }, { 'retry-after': '0' }] : success
    case 'pending':
      return isFirst ? [202, {}] : success
    case 'redirect':
      return [302, {}, { location: '/ok' }]
    case '400':
      return [400, { message: `key ${headers.authorization} is not valid`, code: 'invalid_subject' }]
  }
}

const fetch = (url, init) =>
  new Promise((resolve, reject) => {
    const [, , , behavior, visitor] = url.split('/')
    init.signal.addEventListener('abort', () => reject(new Error('Aborted')))
    if (behavior === 'hang') return
    const [status, body, headers] = respond(behavior, visitor, { ...init, url }) ?? []
    if (status === undefined) return reject(new TypeError('Network request failed'))
    resolve(new Response(JSON.stringify(body), { status, headers: { 'x-request-id': 'req_1', ...headers } }))
  })

class URL {
  constructor(text) {
    const parts = /^(https?:)\/\/(([^/:]+)(?::\d+)?)([^?#]*)$/.exec(text)
    if (!parts) throw new TypeError('Invalid URL')
    const [, protocol, host, hostname, pathname] = parts
    Object.assign(this, { protocol, hostname, pathname, origin: `${protocol}//${host}` })
    Object.assign(this, { username: '', password: '', search: '', hash: '' })
  }
}

class TextEncoder {
  encode(text) {
    return Uint8Array.from(unescape(encodeURIComponent(text)), (character) => character.charCodeAt(0))
  }
}

class TextDecoder {
  decode(bytes) {
    return decodeURIComponent(escape(String.fromCharCode(...bytes)))
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const atob = (text) => {
  const bits = Array.from(text, (digit) => alphabet.indexOf(digit).toString(2).padStart(6, '0')).join('')
  return (bits.match(/.{8}/g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join('')
}
const btoa = (text) => {
  const bits = Array.from(text, (byte) => byte.charCodeAt(0).toString(2).padStart(8, '0')).join('')
  const digits = (bits.match(/.{1,6}/g) ?? []).map(
    (each) => alphabet[Number.parseInt(each.padEnd(6, '0'), 2)],
  )
  return digits.join('').padEnd(Math.ceil(digits.length / 4) * 4, '=')
}

/** The part of WebCrypto that signatures need, for apps that add it to React Native. */
const cryptoOfApp = {
  subtle: {
    importKey: async (_format, key) => key,
    sign: async (_algorithm, key, data) => hmac(key, data).buffer,
  },
}

Object.assign(globalThis, {
  cryptoOfApp,
  atob,
  btoa,
  setTimeout,
  clearTimeout: (timer) => timers.delete(timer),
})
Object.assign(globalThis, {
  AbortController,
  AbortSignal,
  fetch,
  Headers,
  Request,
  Response,
  URL,
  TextEncoder,
  TextDecoder,
})
Object.assign(globalThis, { console: { log: print, warn: print, error: print, assert: () => {} } })
