import { closeOnSignal, startServer } from '../src/index.ts'

// A server in a process of its own: settings as JSON in the first argument, its URL on the first line of its output.
const server = await startServer(JSON.parse(process.argv[2] ?? '{}'))
console.log(server.url)
await closeOnSignal(server)
process.exit(0)
