import { createServer } from 'node:http'
import { serveCommands } from '../commands.ts'

// A webhook endpoint in its own process that measures the delay of each event (since `sentAt` in its payload, in
// milliseconds). `quantile` returns a percentile of the delays since `reset`, and `count` their number. `/hang` never responds.
let delays: number[] = []
const now = (): number => performance.timeOrigin + performance.now()

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    if (request.url === '/hang') return
    if (request.url === '/slow') {
      setTimeout(() => response.writeHead(200).end(), 14_000)
      return
    }
    const { sentAt } = JSON.parse(Buffer.concat(chunks).toString())
    if (typeof sentAt === 'number') delays.push(now() - sentAt)
    response.writeHead(200).end()
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address === null || typeof address !== 'object') return
  serveCommands(
    {
      reset: () => {
        delays = []
      },
      count: () => delays.length,
      quantile: (percent) => {
        const sorted = delays.toSorted((left, right) => left - right)
        return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
      },
    },
    `http://127.0.0.1:${address.port}`,
  )
})
