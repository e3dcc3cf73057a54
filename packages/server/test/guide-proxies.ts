import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { takeBlocks } from '../../../tools/code-blocks.ts'
import { type ProxyName, type ProxyOptions, wrapApache, wrapCaddy, wrapNginx } from './reverse-proxy.ts'

const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/deploying.md'), 'utf8')

type Configure = (options: ProxyOptions) => string

const [caddy = '', prefixedNginx = '', haproxy = '', nginx = '', apache = '', balancingCaddy = ''] =
  takeBlocks(import.meta.filename, 6).map(({ code }) => code)

/** Changes a code block of the guide for servers of this machine, and without TLS. */
const adapt = (block: string, { port, servers }: ProxyOptions): string => {
  const [first = '', second = first] = servers
  return block
    .replace(/(?:127\.0\.0\.1:4100|app-1\.internal:4101)/g, first)
    .replaceAll('app-2.internal:4101', second)
    .replace(/^\s*(?:ssl_certificate|SSL).*\n/gm, '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace(/bind .*/, `bind 127.0.0.1:${port}`)
    .replace('*:443', `127.0.0.1:${port}`)
    .replace('wabakit.example.com', `http://:${port}`)
}

/** The configurations of the guide for one machine. */
export const guideProxies: Readonly<Partial<Record<ProxyName, Configure>>> = {
  nginx: (options) =>
    wrapNginx(
      options,
      adapt(prefixedNginx, options).replace('server {', `$& listen 127.0.0.1:${options.port};`),
    ),
  caddy: (options) => wrapCaddy(adapt(caddy, options)),
}

/** The configurations of the guide for two machines. */
export const guideBalancers: Readonly<Record<ProxyName, Configure>> = {
  nginx: (options) => wrapNginx(options, adapt(nginx, options)),
  haproxy: (options) => adapt(haproxy, options),
  apache: (options) => wrapApache(options, adapt(apache, options)),
  caddy: (options) => wrapCaddy(adapt(balancingCaddy, options)),
}

/** The time between the restarts of two machines, in milliseconds. */
export const pauseMs = Number(/ready --wait .* && sleep (\d+)\n/.exec(guide)?.[1]) * 1_000
