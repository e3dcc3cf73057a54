import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'

/** The addresses of a name, or what the server does instead. */
export type Zone = (
  name: string,
  family: 4 | 6,
) => {
  readonly a?: readonly string[]
  readonly aaaa?: readonly string[]
  /** In seconds. @default 60 */
  readonly ttl?: number
  /** @default 0 (no error); 2 is SERVFAIL and 3 is NXDOMAIN */
  readonly code?: number
  /** How long an answer takes, in milliseconds; `Infinity` for a server that is silent. */
  readonly delayMs?: number
}

const typeA = 1
const typeAaaa = 28

const readQuestion = (message: Buffer) => {
  const labels: string[] = []
  let at = 12
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

const toBytes = (address: string): Buffer => {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [start = '', end = ''] = address.split('::')
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((each) => Number.parseInt(each, 16))
  const [head, tail] = [parse(start), parse(end)]
  const words = [...head, ...new Array(8 - head.length - tail.length).fill(0), ...tail]
  return Buffer.from(words.flatMap((word) => [word >> 8, word & 255]))
}

/** Starts a name server on a UDP port of this machine. */
export const startNameServer = async (zone: Zone) => {
  const socket = createSocket('udp4')
  const timers = new Set<NodeJS.Timeout>()
  /** The names that were asked for, once per query of an IPv4 address. */
  const asked: string[] = []

  const answer = (message: Buffer, { address, port }: RemoteInfo): void => {
    const { name, type, end } = readQuestion(message)
    if (type === typeA) asked.push(name)
    const { a = [], aaaa = [], ttl = 60, code = 0, delayMs = 0 } = zone(name, type === typeAaaa ? 6 : 4)
    if (delayMs === Infinity) return
    const records = (type === typeA ? a : type === typeAaaa ? aaaa : []).map((each) => {
      const data = toBytes(each)
      const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
      head.writeUInt32BE(ttl, 6)
      return Buffer.concat([head, data])
    })
    const head = Buffer.from(message.subarray(0, end))
    head.writeUInt16BE(0x8180 | code, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    head.writeUInt32BE(0, 8)
    const send = () => socket.send(Buffer.concat([head, ...records]), port, address)
    // Without a timer, an answer also arrives while a test has stopped them.
    if (delayMs === 0) send()
    else timers.add(setTimeout(send, delayMs))
  }
  socket.on('message', answer)
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    asked,
    /** The address for `setServers`. */
    address: `127.0.0.1:${socket.address().port}`,
    close: (): void => {
      for (const timer of timers) clearTimeout(timer)
      socket.close()
    },
  }
}
