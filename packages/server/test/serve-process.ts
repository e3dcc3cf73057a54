import { closeOnSignal, startServer } from '../src/index.ts'

// A server in a separate process. The first argument contains the settings as JSON; the first line of output is the
// URL.
const server = await startServer(JSON.parse(process.argv[2] ?? '{}'))
const closed = closeOnSignal(server)
console.log(server.url)
await closed
process.exit(0)
