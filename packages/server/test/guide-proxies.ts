import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ProxyName, type ProxyOptions, wrapApache, wrapCaddy, wrapNginx } from './reverse-proxy.ts'

const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/deploying.md'), 'utf8')

type Configure = (options: ProxyOptions) => string

/** Returns the code block of the guide that contains all of these texts, for servers of this machine and without TLS. */
const readBlock = (texts: readonly string[], { port, servers }: ProxyOptions): string => {
  const blocks = guide.split('\n```').filter((_, index) => index % 2 === 1)
  const [found, ...others] = blocks.filter((block) => texts.every((text) => block.includes(text)))
  if (found === undefined || others.length > 0)
    throw new Error(`docs/deploying.md must have one code block with ${texts.join(' and ')}.`)
  const [first = '', second = first] = servers
  return found
    .slice(found.indexOf('\n') + 1)
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
      readBlock(['127.0.0.1:4100', 'upstream'], options).replace(
        'server {',
        `$& listen 127.0.0.1:${options.port};`,
      ),
    ),
  caddy: (options) => wrapCaddy(readBlock(['127.0.0.1:4100', 'reverse_proxy'], options)),
}

/** The configurations of the guide for two machines. */
export const guideBalancers: Readonly<Record<ProxyName, Configure>> = {
  nginx: (options) => wrapNginx(options, readBlock(['app-2.internal', 'upstream'], options)),
  haproxy: (options) => `${readBlock(['app-2.internal', 'httpchk'], options)}\n`,
  apache: (options) => wrapApache(options, readBlock(['app-2.internal', 'BalancerMember'], options)),
  caddy: (options) => wrapCaddy(readBlock(['app-2.internal', 'reverse_proxy'], options)),
}

/** The time between the restarts of two machines, in milliseconds. */
export const pauseMs = Number(/ready --wait .* && sleep (\d+)\n/.exec(guide)?.[1]) * 1_000
