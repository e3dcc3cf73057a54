import { createServer } from 'node:http'
import { listen, serveCommands } from '../commands.ts'
import { computeQuantile } from '../measure.ts'
import { readTime } from '../run-tasks.ts'

// Webhook endpoints in a separate process, each with its own port. The first argument is their number, the second their
// behavior: `respond`, `hang` (they never respond) or `slow` (200 after 14 seconds). The process first sends their
// URLs, as JSON. An event's delay is measured from `sentAt` in its payload, in milliseconds. `quantile` returns a
// percentile of the delays since `reset`, and `count` their number.
const [number = '1', behavior = 'respond'] = process.argv.slice(2)
let delays: number[] = []

const open = (): Promise<string> =>
  listen(
    createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const respond = (): unknown => response.writeHead(200).end()
        if (behavior === 'hang') return
        if (behavior === 'slow') return void setTimeout(respond, 14_000)
        const { sentAt } = JSON.parse(Buffer.concat(chunks).toString())
        if (typeof sentAt === 'number') delays.push(readTime() - sentAt)
        respond()
      })
    }),
  )

const urls = await Promise.all(Array.from({ length: Number(number) }, open))
serveCommands(
  {
    reset: () => {
      delays = []
    },
    count: () => delays.length,
    quantile: (percent) => computeQuantile(delays, percent / 100),
  },
  JSON.stringify(urls),
)
