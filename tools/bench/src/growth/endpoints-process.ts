import { createServer } from 'node:http'
import { listen, serveCommands } from '../commands.ts'
import { computeQuantile } from '../measure.ts'
import { readTime } from '../run-tasks.ts'

// Webhook endpoints, each with its own port. The arguments are the number of endpoints, and their behavior: `respond`,
// `hang` (they never respond) or `slow` (they respond after 14 seconds). This process first sends the URLs as JSON. The
// delay of an event is measured from `sentAt` in its payload. `quantile` returns a percentile of the delays since
// `reset`, in milliseconds, and `count` returns how many events have arrived since `reset`.
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
