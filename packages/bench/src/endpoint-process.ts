import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveCommands } from './commands.ts'
import { computeQuantile } from './measure.ts'

// A webhook endpoint in its own process that accepts every request. It sends its URL first. `arrivals` returns once the
// given number of webhooks has arrived since its last call. `p99` returns the 99th percentile of the travel times of
// stamped payloads since its last call, in microseconds. The first argument is the response delay in milliseconds.
const [delay = '0'] = process.argv.slice(2)
let arrived = 0
let expected = Number.POSITIVE_INFINITY
let { promise, resolve } = Promise.withResolvers<void>()

const stamp = Buffer.from('{"at":')
let latencies: number[] = []

const server = createServer((request, response) => {
  request.once('data', (body: Buffer) => {
    if (body.subarray(0, stamp.length).equals(stamp))
      latencies.push(Date.now() - Number(body.subarray(stamp.length, body.indexOf(','))))
  })
  request.resume().on('end', async () => {
    if (delay !== '0') await sleep(Number(delay))
    response.writeHead(200).end()
    arrived += 1
    if (arrived >= expected) resolve()
  })
})

const arrivals = async (count: number): Promise<void> => {
  expected = count
  if (arrived < expected) await promise
  arrived -= count
  expected = Number.POSITIVE_INFINITY
  ;({ promise, resolve } = Promise.withResolvers<void>())
}

const p99 = (): number => {
  const result = computeQuantile(latencies, 0.99) * 1_000
  latencies = []
  return result
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object')
    serveCommands({ arrivals, p99 }, `http://127.0.0.1:${address.port}`)
})
