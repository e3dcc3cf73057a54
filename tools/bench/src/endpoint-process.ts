import { createServer } from 'node:http'
import { listen, serveCommands } from './commands.ts'
import { computeQuantile } from './measure.ts'
import { readTime } from './run-tasks.ts'

// An endpoint that accepts every webhook. This process first sends its URL. `arrivals` waits until the given number of
// webhooks has arrived since its last call. `p99` returns the 99th percentile of the delays of stamped payloads that
// have arrived since its last call, in microseconds.
let arrived = 0
let expected = Number.POSITIVE_INFINITY
let { promise, resolve } = Promise.withResolvers<void>()

const stamp = Buffer.from('{"at":')
const delays: number[] = []

const server = createServer((request, response) => {
  request.once('data', (body: Buffer) => {
    if (body.subarray(0, stamp.length).equals(stamp))
      delays.push(readTime() - Number(body.subarray(stamp.length, body.indexOf(','))))
  })
  request.resume().on('end', () => {
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

const p99 = (): number => computeQuantile(delays.splice(0), 0.99) * 1_000

serveCommands({ arrivals, p99 }, await listen(server))
