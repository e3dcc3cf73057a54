import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'

const listen = async (port: number): Promise<Server | undefined> => {
  const server = createServer().listen(port, '127.0.0.1')
  const isFree = once(server, 'listening').then(
    () => true,
    () => false,
  )
  return (await isFree) ? server : undefined
}

/**
 * Returns a port for a program that cannot listen on port 0 and say which port it got. Nobody else takes it before the
 * program listens: it is below the ports that systems hand out for port 0 (from 32768), and the port above it is held
 * until this process ends, so that others who look for a port here pass by.
 */
export const findFreePort = async (): Promise<number> => {
  const port = 2 * randomInt(10_000, 16_384)
  const held = await listen(port + 1)
  const server = held && (await listen(port))
  if (server === undefined) {
    held?.close()
    return findFreePort()
  }
  held?.unref()
  server.close()
  await once(server, 'close')
  return port
}

/** Returns whether a program accepts connections on a port. */
export const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
