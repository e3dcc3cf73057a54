// A reverse proxy that reads each request, waits DELAY_MS, and passes it on to TARGET_PORT.
import { createServer, request as send } from 'node:http'

const { PORT, TARGET_PORT, DELAY_MS } = process.env

createServer((request, response) => {
  const chunks = []
  request.on('error', () => response.destroy())
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    setTimeout(() => {
      const { method, url: path, rawHeaders: headers } = request
      const upstream = send({ host: '127.0.0.1', port: TARGET_PORT, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers)
        answer.pipe(response)
      })
      upstream.on('error', () => response.writeHead(502).end())
      // The body has been decoded if it was chunked.
      upstream.end(Buffer.concat(chunks))
    }, DELAY_MS)
  })
}).listen(PORT, '127.0.0.1', 128)
