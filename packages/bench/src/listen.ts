import { once } from 'node:events'
import type { Server } from 'node:net'

/** Starts a server on a free loopback port. Returns its URL. */
export const listen = async (server: Server): Promise<string> => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return `http://127.0.0.1:${address.port}`
}
