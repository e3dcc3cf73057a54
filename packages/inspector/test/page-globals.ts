// The parts of a browser that the data layer of the page uses. Import this module before those of the page.

import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { expect, onTestFinished } from 'vitest'

const createStorage = (): Pick<Storage, 'getItem' | 'setItem'> => {
  const values = new Map<string, string>()
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => {
      values.set(key, value)
    },
  }
}

const document = Object.assign(new EventTarget(), { hidden: false, documentElement: { dataset: {} } })
const location = { origin: 'http://127.0.0.1', pathname: '/_wabakit/inspector/deliveries', search: '' }

const go = (_state: unknown, _title: string, href?: string): void => {
  if (href === undefined) return
  const { pathname, search } = new URL(href, location.origin)
  Object.assign(location, { pathname, search })
}

Object.assign(globalThis, {
  document,
  location,
  history: { pushState: go, replaceState: go },
  localStorage: createStorage(),
  sessionStorage: createStorage(),
  addEventListener: () => {},
  matchMedia: () => ({ matches: false, addEventListener: () => {} }),
})

const { fetch } = globalThis
globalThis.fetch = (input, init) => fetch(new URL(String(input), location.origin), init)

/** Starts a server that the page's requests reach. It is closed at the end of the test. */
export const servePage = async (listener: RequestListener): Promise<void> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  location.origin = `http://127.0.0.1:${address.port}`
}

export const setHidden = (hidden: boolean): void => {
  document.hidden = hidden
  document.dispatchEvent(new Event('visibilitychange'))
}

/** Responds with JSON. */
export const respond = (response: ServerResponse, body: unknown): void => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}

/** A promise that resolves when `condition` holds, without depending on the timers that a test controls. */
export const until = async (condition: () => boolean): Promise<void> => {
  const endsAt = process.hrtime.bigint() + 30_000_000_000n
  while (!condition() && process.hrtime.bigint() < endsAt) await new Promise(setImmediate)
  expect(condition()).toBe(true)
}

/** Lets requests that have been sent reach the server, if there are any. */
export const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 200; turns++) await new Promise(setImmediate)
}
