import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { isBlockedPort } from './blocked-ports.ts'

test('knows the ports that fetch blocks', () => {
  // The same list in the implementation of `fetch` that Node.js uses.
  const { badPorts }: { badPorts: string[] } = createRequire(import.meta.url)(
    'undici/lib/web/fetch/constants.js',
  )
  const all = Array.from({ length: 65_536 }, (_, port) => port)
  expect(all.filter(isBlockedPort)).toEqual(badPorts.map(Number).filter((port) => port > 0))
})

test('fetch blocks such a port', async () => {
  await expect(fetch('http://127.0.0.1:6000/')).rejects.toMatchObject({ cause: { message: 'bad port' } })
})
