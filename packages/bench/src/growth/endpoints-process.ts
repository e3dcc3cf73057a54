import { createServer, type Server } from 'node:http'
import { serveCommands } from '../commands.ts'

// Webhook endpoints in a separate process, each with its own port. The first argument is their number, the second their
// behavior: `respond`, `hang` (they never respond) or `slow` (200 after 14 seconds). The process first sends their
// URLs, as JSON. An event's delay is measured from `sentAt` in its payload, in milliseconds. `quantile` returns a
// percentile of the delays since `reset`, and `count` their number.
const [number = '1', behavior = 'respond'] = process.argv.slice(2)
let delays: number[] = []
const now = (): number => performance.timeOrigin + performance.now()

const open = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const respond = (): unknown => response.writeHead(200).end()
        if (behavior === 'hang') return
        if (behavior === 'slow') return void setTimeout(respond, 14_000)
        const { sentAt } = JSON.parse(Buffer.concat(chunks).toString())
        if (typeof sentAt === 'number') delays.push(now() - sentAt)
        respond()
      })
    })
    server.listen(0, '127.0.0.1', () => resolve(server))
  })

const getUrl = (server: Server): string => {
  const address = server.address()
  return typeof address === 'object' ? `http://127.0.0.1:${address?.port}/` : ''
}

const servers = await Promise.all(Array.from({ length: Number(number) }, open))
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
  JSON.stringify(servers.map(getUrl)),
)
