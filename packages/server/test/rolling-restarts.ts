import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendRequest } from './beside-strangers.ts'
import { findFreePort } from './free-port.ts'
import { guideBalancers, pauseMs } from './guide-proxies.ts'
import { keepSocket, serveOn } from './kept-socket.ts'
import { type ProxyName, startReverseProxy } from './reverse-proxy.ts'

const apiKey = 'wk_test_key_0123456789'
const path = '/whatsapp/wa-group/create'

/** The settings of the guide. The servers keep groups in memory: only the responses count. */
const settings = {
  database: ':memory:',
  logLevel: 'silent',
  trustProxy: 1,
  controlToken: 'a-control-token-of-24-bytes',
  rateLimitPerAddress: 0,
  rateLimitPerKey: 0,
  rateLimitPerOrganization: 0,
  organizations: [{ id: 'acme', integrations: [{ wabaNumber: '+15550100001' }], apiKeys: [{ key: apiKey }] }],
}

type Outcomes = Record<string, Record<string, number>>

type Machine = { readonly port: number; readonly fd?: number }

/** Starts a server in another process. */
const startMachine = async (machine: Machine, config: string) => {
  const server = serveOn(machine, { args: ['--config', config] })
  await server.ready
  return { machine, stop: server.stop }
}

/** Counts the outcomes behind these proxies. If one of them is nginx, the ports of the servers stay open meanwhile. */
const restartBehind = async (
  names: readonly ProxyName[],
  { restarts }: { readonly restarts: number },
): Promise<Outcomes> => {
  if (names.length === 0) return {}
  await using made = new AsyncDisposableStack()
  const folder = made.adopt(mkdtempSync(join(tmpdir(), 'wabakit-restarts-')), (path) =>
    rmSync(path, { recursive: true }),
  )
  const config = join(folder, 'wabakit.json')
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 })
  const keepsPorts = names.includes('nginx')
  const findMachine = async (): Promise<Machine> => {
    const port = await findFreePort()
    return keepsPorts ? made.adopt(await keepSocket(port), ({ close }) => close()) : { port }
  }
  const start = async (machine: Machine) =>
    made.adopt(await startMachine(machine, config), async ({ stop }) => void (await stop('SIGKILL')))
  const machines = [await start(await findMachine()), await start(await findMachine())]
  const servers = machines.map(({ machine }) => `http://127.0.0.1:${machine.port}`)
  const agent = made.adopt(new Agent({ keepAlive: true }), (each) => each.destroy())
  const request = {
    method: 'POST',
    headers: { authorization: apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ wabaNumber: '+15550100001', subject: 'Team' }),
  }
  let isOver = false
  const outcomes: Outcomes = {}
  const clients: Promise<void>[] = []
  for (const name of names) {
    const proxy = await startReverseProxy(name, { servers, configure: guideBalancers[name] })
    made.defer(proxy.close)
    const counts: Record<string, number> = {}
    outcomes[name] = counts
    const create = async (): Promise<void> => {
      while (!isOver) {
        const outcome = await sendRequest(proxy.url + path, request, agent)
        counts[outcome] = (counts[outcome] ?? 0) + 1
        await sleep(20)
      }
    }
    for (let client = 0; client < 2; client++) clients.push(create())
  }
  made.defer(() => {
    isOver = true
  })
  for (let restart = 0; restart < restarts; restart++) {
    const running = machines.shift()
    if (running === undefined) break
    await running.stop('SIGTERM')
    machines.push(await start(running.machine))
    while (!(await fetch(`http://127.0.0.1:${running.machine.port}/readyz`)).ok) await sleep(100)
    await sleep(pauseMs)
  }
  isOver = true
  await Promise.all(clients)
  return outcomes
}

/**
 * Creates groups through the proxies of the guide while the two servers behind them are restarted by SIGTERM, one after the other, as
 * the guide says. Behind nginx, their ports stay open meanwhile, as with the guide's `wabakit@api.socket`.
 *
 * @returns how often each status or error occurred, for each proxy.
 */
export const restartBehindProxies = async (
  names: readonly ProxyName[],
  options: { readonly restarts: number },
): Promise<Outcomes> => {
  const [nginx = [], others = []] = [true, false].map((isNginx) =>
    names.filter((name) => (name === 'nginx') === isNginx),
  )
  const outcomes = await Promise.all([nginx, others].map((group) => restartBehind(group, options)))
  return Object.assign({}, ...outcomes)
}
