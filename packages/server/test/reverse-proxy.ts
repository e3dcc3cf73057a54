import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort, isListening } from './free-port.ts'
import { requireProgram } from './programs.ts'

export type ProxyOptions = {
  readonly port: number
  readonly servers: readonly string[]
  readonly folder: string
  /** The path below which nginx forwards requests, without it. */
  readonly location: string
}

type Program = {
  readonly path: string
  /** Arguments that run the program in the foreground with a configuration. */
  args(file: string): string[]
  /** A usual configuration: no retries and no limits but the defaults. The servers share the requests. */
  configure(options: ProxyOptions): string
}

const apacheModules = [
  'mpm_event',
  'authz_core',
  'proxy',
  'proxy_http',
  'proxy_balancer',
  'slotmem_shm',
  'lbmethod_byrequests',
  'proxy_hcheck',
]

/** Completes a configuration that is meant for nginx's folder `conf.d`. */
export const wrapNginx = ({ folder }: ProxyOptions, configuration: string): string => `
daemon off; pid ${folder}/pid; error_log stderr warn; worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off; client_max_body_size 64m;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  ${configuration}
}
`

/** Completes a configuration that is meant for apache's folder `sites-enabled`. */
export const wrapApache = ({ folder, port }: ProxyOptions, configuration: string): string => `
ServerRoot ${folder}
PidFile ${folder}/pid
ErrorLog ${folder}/log
Mutex posixsem
Listen 127.0.0.1:${port}
ServerName localhost
${apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`).join('')}
User www-data
Group www-data
${configuration}
`

/** Completes a configuration of a site for Caddy. */
export const wrapCaddy = (configuration: string): string => `
{
	admin off
	auto_https off
}
${configuration}
`

export const programs = {
  nginx: {
    path: '/usr/sbin/nginx',
    args: (file) => ['-c', file],
    configure: (options) =>
      wrapNginx(
        options,
        `upstream app { ${options.servers.map((server) => `server ${server};`).join(' ')} }
  server { listen 127.0.0.1:${options.port}; location ${options.location} { proxy_pass http://app/; proxy_set_header Host $http_host; } }`,
      ),
  },
  haproxy: {
    path: '/usr/sbin/haproxy',
    args: (file) => ['-db', '-f', file],
    configure: ({ port, servers }) => `
defaults
	mode http
	timeout connect 2s
	timeout client 60s
	timeout server 60s
frontend public
	bind 127.0.0.1:${port}
	default_backend app
backend app
${servers.map((server, index) => `\tserver app-${index} ${server} check\n`).join('')}
`,
  },
  apache: {
    path: '/usr/sbin/apache2',
    args: (file) => ['-D', 'FOREGROUND', '-f', file],
    configure: (options) =>
      wrapApache(
        options,
        `<Proxy balancer://app>
${options.servers.map((server) => ` BalancerMember http://${server}\n`).join('')}
</Proxy>
ProxyPass / balancer://app/`,
      ),
  },
  caddy: {
    path: '/usr/bin/caddy',
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    configure: ({ port, servers }) => wrapCaddy(`http://:${port} {\n\treverse_proxy ${servers.join(' ')}\n}`),
  },
} as const satisfies Record<string, Program>

export type ProxyName = keyof typeof programs

export const hasProxy = (name: ProxyName): boolean => requireProgram(name, existsSync(programs[name].path))

/** Starts a real proxy in front of `servers` (URLs), with another configuration if `configure` is set. Only nginx has a `location`. */
export const startReverseProxy = async (
  name: ProxyName,
  options: {
    readonly servers: readonly string[]
    readonly location?: string
    readonly configure?: Program['configure']
  },
) => {
  const { path, args, configure: configureUsually }: Program = programs[name]
  const { servers, location = '/', configure = configureUsually } = options
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-proxy-'))
  const [port, file] = [await findFreePort(), join(folder, 'configuration')]
  writeFileSync(file, configure({ port, servers: servers.map((url) => new URL(url).host), folder, location }))
  const env = { PATH: process.env.PATH, HOME: folder }
  const child = spawn(path, args(file), { stdio: ['ignore', 'ignore', 'pipe'], env })
  let log = ''
  child.stderr.on('data', (data) => {
    log += data
  })
  const ended = once(child, 'exit')
  const close = async (): Promise<void> => {
    // Processes of nginx and apache end with their parent only if it stops them.
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${log}`)
    await sleep(20)
  }
  return { url: `http://127.0.0.1:${port}`, close, getLog: () => log }
}
