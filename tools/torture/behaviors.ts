import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Random } from './random.ts'
import type { Behavior } from './recorder.ts'

/** Accepts every attempt, one in five after a delay. */
export const calm =
  (random: Random): Behavior =>
  (response) =>
    void setTimeout(random.happens(0.2) ? random.between(1, 80) : 0).then(() => response.end('ok'))

/** Fails one in fifty first attempts, which are retried after 5 s. One in twenty responses is slow. */
export const flaky =
  (random: Random): Behavior =>
  (response, nth) => {
    if (nth === 1 && random.happens(0.01)) return response.socket?.destroy()
    if (nth === 1 && random.happens(0.01)) response.statusCode = 500
    void setTimeout(random.happens(0.05) ? random.between(1, 80) : 0).then(() => response.end('ok'))
  }

/** Accepts every attempt after a delay, in milliseconds. */
export const after =
  (delayMs: number): Behavior =>
  (response) =>
    void setTimeout(delayMs).then(() => response.end('ok'))

/** Holds every attempt until `letGo` is called. */
export const createHold = (): { readonly behavior: Behavior; letGo(): void } => {
  const held: Array<Parameters<Behavior>[0]> = []
  return {
    behavior: (response) => void held.push(response),
    letGo: () => {
      for (const response of held) response.end('ok')
    },
  }
}

const bomb = gzipSync(Buffer.alloc(50_000_000))
const retryAfters = [
  '1',
  '-5',
  'soon',
  '1e3',
  '9'.repeat(400),
  new Date(0).toUTCString(),
  'Wed, 21 Oct 2099 07:28:00 GMT',
]

/** Hostile responses to a sender. None of them is a success. */
const misdeeds: Record<string, (response: Parameters<Behavior>[0], random: Random) => void> = {
  hang: () => {},
  closeEarly: (response) => response.socket?.destroy(),
  closeInBody: (response) => {
    response.writeHead(500, { 'content-length': 100 }).write('half')
    void setTimeout(10).then(() => response.socket?.destroy())
  },
  drip: async (response) => {
    response.writeHead(500)
    while (!response.destroyed) {
      response.write('.')
      await setTimeout(500)
    }
  },
  endless: async (response) => {
    response.writeHead(500)
    while (!response.destroyed) {
      if (!response.write('x'.repeat(65_536))) await setTimeout(5)
    }
  },
  bomb: (response) => response.writeHead(500, { 'content-encoding': 'gzip' }).end(bomb),
  redirect: (response) =>
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  redirectHere: (response) => response.writeHead(302, { location: '/redirected' }).end(),
  retryLater: (response, random) => {
    const retryAfter = retryAfters[random.between(0, retryAfters.length - 1)] ?? ''
    response.writeHead(random.happens(0.5) ? 429 : 503, { 'retry-after': retryAfter }).end()
  },
  notHttp: (response) => response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'),
}

/** Responds to seven in ten first attempts in a hostile way, and accepts later ones. */
export const hostile =
  (random: Random): Behavior =>
  (response, nth) => {
    if (nth > 1 || random.happens(0.3)) return response.end('ok')
    const deeds = Object.values(misdeeds)
    return deeds[random.between(0, deeds.length - 1)]?.(response, random)
  }

/** Responds 410 to every attempt. */
export const gone: Behavior = (response) => response.writeHead(410).end()

/** Accepts every attempt immediately. */
export const friendly: Behavior = (response) => response.end('ok')
