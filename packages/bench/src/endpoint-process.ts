import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveCommands } from './commands.ts'

// A webhook endpoint in a process of its own, which takes everything. It tells its URL; `arrivals` answers when so many
// webhooks have come since the last time it was asked. The first argument is how many milliseconds an answer takes.
const [delay = '0'] = process.argv.slice(2)
let arrived = 0
let awaited = Number.POSITIVE_INFINITY
let { promise, resolve } = Promise.withResolvers<void>()

const server = createServer((request, response) => {
  request.resume().on('end', async () => {
    if (delay !== '0') await sleep(Number(delay))
    response.writeHead(200).end()
    arrived += 1
    if (arrived >= awaited) resolve()
  })
})

const arrivals = async (count: number): Promise<void> => {
  awaited = count
  if (arrived < awaited) await promise
  arrived -= count
  awaited = Number.POSITIVE_INFINITY
  ;({ promise, resolve } = Promise.withResolvers<void>())
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object')
    serveCommands({ arrivals }, `http://127.0.0.1:${address.port}`)
})
