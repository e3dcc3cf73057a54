import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import { takeBlocks } from '../../../tools/code-blocks.ts'
import { control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { requireCommand } from './programs.ts'

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, 'examples/deploy')
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')

const Rule = z.object({ alert: z.string(), expr: z.string() })
const Rules = z.object({ groups: z.array(z.object({ rules: z.array(Rule) })) })
const rules = Rules.parse(parse(read('prometheus/wabakit.rules.yml'))).groups.flatMap((group) => group.rules)

const GridPosition = z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() })
const Dashboard = z.object({
  uid: z.literal('wabakit'),
  schemaVersion: z.literal(39),
  templating: z.object({ list: z.array(z.object({ name: z.enum(['datasource', 'job']) })) }),
  panels: z.array(
    z.object({
      id: z.int(),
      type: z.enum(['stat', 'timeseries']),
      title: z.string().check(z.minLength(1)),
      description: z.string().check(z.minLength(1)),
      datasource: z.object({
        type: z.literal('prometheus'),
        uid: z.string().check(z.regex(/^\$\{datasource\}$/)),
      }),
      gridPos: GridPosition,
      targets: z.array(z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() })),
    }),
  ),
})
const { panels } = Dashboard.parse(JSON.parse(read('grafana/wabakit.json')))
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))

/** Starts a server with a group, a successful delivery and a failing one. */
const startBusyServer = async () => {
  const server = await start({ metricsToken: 'a-token-for-prometheus' })
  const endpoint = await listenForWebhooks()
  const failing = await listenForWebhooks(() => 500)
  for (const { url } of [endpoint, failing]) {
    await control(server, 'POST /organizations/acme/subscriptions', {
      channel: 'WHATSAPP',
      number: '+15550100001',
      url,
    })
  }
  await createGroup(server.url)
  return server
}

const readMetrics = async (url: string): Promise<string> => {
  const response = await fetch(`${url}/metrics`, {
    headers: { authorization: 'Bearer a-token-for-prometheus' },
  })
  return response.text()
}

describe('the rules and the dashboard', () => {
  test('refer only to metrics that the server has', async () => {
    const { url } = await startBusyServer()
    const named = [...rules, ...queries].flatMap(({ expr }) => expr.match(/\b(?:wabakit|process)_\w+/g) ?? [])
    const listUnknown = async (): Promise<string[]> => {
      const known = new Set((await readMetrics(url)).match(/^(?:wabakit|process)_\w+/gm))
      return named.filter((name) => !known.has(name))
    }
    await expect.poll(listUnknown).toEqual([])
    expect(named.length).toBeGreaterThan(20)
  })

  test('contain every alert from the page on monitoring', () => {
    const documented = takeBlocks(import.meta.filename).map(({ code }) => code.trim())
    const missing = documented.filter((expression) => !rules.some(({ expr }) => expr.includes(expression)))
    expect(missing).toEqual([])
    expect(documented).toHaveLength(rules.length)
  })

  test('have panels with unique ids that do not overlap', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24)
  })
})

describe.skipIf(!requireCommand('promtool', '--version'))('promtool', () => {
  const promtool = (...args: string[]): string =>
    execFileSync('promtool', args, { cwd: join(folder, 'prometheus'), encoding: 'utf8', stdio: 'pipe' })

  test('accepts the rules', () => {
    expect(promtool('check', 'rules', 'wabakit.rules.yml')).toContain(`SUCCESS: ${rules.length} rules found`)
  })

  test('finds nothing to complain about in the metrics', async () => {
    const server = await start()
    await createGroup(server.url)
    const input = await (await fetch(`${server.url}/metrics`)).text()
    expect(spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })).toMatchObject({
      stdout: '',
      stderr: '',
      status: 0,
    })
  })

  test('sees every alert fire, but not too early', () => {
    promtool('test', 'rules', 'wabakit.rules.test.yml')
    const tests = read('prometheus/wabakit.rules.test.yml')
    const untested = rules.filter(({ alert }) => tests.split(`alertname: ${alert}`).length < 3)
    expect(untested).toEqual([])
  })
})

describe.skipIf(!requireCommand('prometheus', '--version'))('a real Prometheus', () => {
  const query = async (url: string, expression: string): Promise<unknown[]> => {
    const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression })}`)
    return z.object({ data: z.object({ result: z.array(z.unknown()) }) }).parse(await response.json()).data
      .result
  }

  /** Starts Prometheus with our configuration, changed to scrape this server at short intervals. */
  const startPrometheus = async (target: string): Promise<string> => {
    const data = mkdtempSync(join(tmpdir(), 'wabakit-prometheus-'))
    cpSync(join(folder, 'prometheus'), data, { recursive: true })
    writeFileSync(join(data, 'token'), 'a-token-for-prometheus')
    const config = read('prometheus/prometheus.yml')
      .replace('scrape_interval: 15s', 'scrape_interval: 200ms')
      .replace('/run/secrets/metrics-token', 'token')
      .replace('wabakit:4100', target)
    writeFileSync(join(data, 'prometheus.yml'), config)
    const child = spawn(
      'prometheus',
      ['--config.file=prometheus.yml', '--storage.tsdb.path=data', '--web.listen-address=127.0.0.1:0'],
      { cwd: data, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const ended = new Promise((done) => child.once('exit', done))
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(data, { recursive: true })
    })
    let log = ''
    for await (const chunk of child.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      log += chunk
      const [, address] = /Listening on" address=(\S+)/.exec(log) ?? []
      if (address) return `http://${address}`
    }
    throw new Error(`Prometheus did not start:\n${log}`)
  }

  test('has data for every panel, and all rules', async () => {
    const server = await startBusyServer()
    const prometheus = await startPrometheus(new URL(server.url).host)
    const fill = (expr: string): string =>
      expr.replaceAll('$job', 'wabakit').replaceAll('$__rate_interval', '1m')
    const listEmpty = async (): Promise<string[]> => {
      const results = await Promise.all(queries.map(({ expr }) => query(prometheus, fill(expr))))
      return queries.filter((_, index) => results[index]?.length === 0).map(({ title }) => title)
    }
    await expect.poll(listEmpty).toEqual([])
    const response = await fetch(`${prometheus}/api/v1/rules`)
    const loaded = z
      .object({
        data: z.object({ groups: z.array(z.object({ rules: z.array(z.object({ name: z.string() })) })) }),
      })
      .parse(await response.json())
    expect(loaded.data.groups.flatMap((group) => group.rules.map(({ name }) => name))).toEqual(
      rules.map(({ alert }) => alert),
    )
  })
})

describe('the systemd units', () => {
  const hasSystemd = requireCommand('systemd-analyze', '--version')

  /** Writes units of the example into a folder, under the names of their instances, and verifies them. */
  const verifyUnits = (instances: Readonly<Record<string, string>>): string => {
    const units = mkdtempSync(join(tmpdir(), 'wabakit-units-'))
    onTestFinished(() => rmSync(units, { recursive: true }))
    const paths = Object.entries(instances).map(([file, instance]) => {
      // The command is not installed here.
      const unit = read(`systemd/${file}`).replace(/^ExecStart=.*/m, `ExecStart=${process.execPath} serve`)
      writeFileSync(join(units, instance), unit)
      return join(units, instance)
    })
    const verified = spawnSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' })
    expect(verified.stderr.split('\n').filter((line) => line.includes('wabakit'))).toEqual([])
    expect(verified.status).toBe(0)
    return units
  }

  test.skipIf(!hasSystemd)('the backup and its timer are valid', () => {
    const names = ['wabakit-backup.service', 'wabakit-backup.timer']
    verifyUnits(Object.fromEntries(names.map((name) => [name, name])))
  })

  test.skipIf(!hasSystemd).each([
    ['wabakit.service', 'wabakit.service'],
    ['wabakit@.service', 'wabakit@api.service'],
  ])('%s is valid, and hardened', (file, instance) => {
    const units = verifyUnits({ [file]: instance })
    // The threshold is in tenths of an exposure level, which ranges from 0 to 10. "OK" is below 5.
    const args = ['security', '--offline=true', '--threshold=20', join(units, instance)]
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    expect(status, stdout).toBe(0)
  })

  test.skipIf(!requireCommand('systemd-analyze', '--version'))(
    'wabakit@api.socket is valid, and listens where the guide lets wabakit@api.service listen',
    () => {
      const units = mkdtempSync(join(tmpdir(), 'wabakit-units-'))
      onTestFinished(() => rmSync(units, { recursive: true }))
      const [socket, service] = [read('systemd/wabakit@api.socket'), read('systemd/wabakit@.service')]
      writeFileSync(join(units, 'wabakit@api.socket'), socket)
      writeFileSync(
        join(units, 'wabakit@api.service'),
        service.replace(/^ExecStart=.*/m, `ExecStart=${process.execPath} serve`),
      )
      const args = ['verify', join(units, 'wabakit@api.socket')]
      const { status, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
      expect(stderr.split('\n').filter((line) => line.includes('wabakit'))).toEqual([])
      expect(status).toBe(0)
      const guide = readFileSync(join(root, 'docs/deploying.md'), 'utf8')
      const [, host] = /^WABAKIT_HOST=(.+)$/m.exec(guide) ?? []
      const [, port] = /WABAKIT_ROLE=api\\nWABAKIT_PORT=(\d+)/.exec(guide) ?? []
      expect(socket).toContain(`ListenStream=${host}:${port}\n`)
    },
  )

  test.each(['wabakit.service', 'wabakit@.service'])(
    '%s lets a stop take as long as the server needs, and starts until the database can be opened',
    (file) => {
      const unit = read(`systemd/${file}`)
      expect(unit).toContain('TimeoutStopSec=35\n')
      // By default, systemd gives up after five starts in ten seconds.
      expect(unit).toContain('StartLimitIntervalSec=0\n')
      // The exit code for invalid settings.
      expect(unit).toContain('RestartPreventExitStatus=2\n')
    },
  )
})

describe('compose.yaml', () => {
  const Service = z.object({
    image: z.string(),
    build: z.optional(z.string()),
    ports: z.optional(z.array(z.string())),
    healthcheck: z.optional(z.object({ test: z.array(z.string()) })),
    environment: z.optional(z.record(z.string(), z.string())),
    secrets: z.optional(z.array(z.string())),
    stop_grace_period: z.optional(z.string()),
  })
  const Compose = z.object({
    services: z.record(z.string(), Service),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
  })
  const compose = Compose.parse(parse(read('compose.yaml')))
  const services = Object.entries(compose.services)

  test.each(services)(
    '%s has an exact version and a health check, and listens on loopback only',
    (_, service) => {
      expect(service.build ?? service.image).toMatch(/^\.\.\/\.\.$|:v?\d+\.\d+/)
      if (service.build === undefined) expect(service.healthcheck?.test.length).toBeGreaterThan(1)
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
    },
  )

  test.each(services)('%s reads its secrets from files', (_, { environment = {}, secrets = [] }) => {
    for (const [name, value] of Object.entries(environment)) {
      if (/PASSWORD|TOKEN|SECRET/.test(name)) expect(value).toMatch(/^\/run\/secrets\//)
    }
    for (const secret of secrets) expect(compose.secrets).toHaveProperty(secret)
  })

  test('builds the image that provides the health check and handles stop signals', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
    expect(dockerfile).toMatch(/^HEALTHCHECK /m)
    // In this form, signals reach the server instead of a shell.
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node", /m)
    expect(compose.services.wabakit?.stop_grace_period).toBe('35s')
  })
})
