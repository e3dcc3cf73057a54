import { createServer } from 'node:http'

// A webhook endpoint in a process of its own, which takes everything. The first line of its output is its URL.
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200).end())
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') console.log(`http://127.0.0.1:${address.port}`)
})
