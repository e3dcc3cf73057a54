import { createReadStream, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The folder of the built site. */
export const dist = fileURLToPath(new URL('dist', import.meta.url))

/** Returns the file at a path of the site. */
export const findFile = (path: string): string | undefined =>
  [path, `${path}.html`, `${path}index.html`]
    .map((name) => dist + name)
    .find((name) => /\.\w+$/.test(name) && existsSync(name))

const types: Readonly<Record<string, string>> = {
  css: 'text/css',
  html: 'text/html',
  js: 'text/javascript',
  svg: 'image/svg+xml',
}

/**
 * Serves the built site at a free port of this machine, as `localhost`: on another host, the playground could sign only over https.
 */
export const serveSite = async () => {
  const server = createServer(({ url = '' }, response) => {
    const file = findFile(decodeURIComponent(new URL(url, 'http://localhost').pathname))
    if (file === undefined) return void response.writeHead(404).end()
    const type = types[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
    // Otherwise each page would load the styles and fonts again.
    response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=3600' })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    site: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: (): void => {
      server.close()
      server.closeAllConnections()
    },
  }
}
