import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendRequest } from './beside-strangers.ts'
import { bundles } from './bundle-processes.ts'
import { findFreePort } from './free-port.ts'
import { guideBalancers, pauseMs } from './guide-proxies.ts'
import { type ProxyName, startReverseProxy } from './reverse-proxy.ts'

const apiKey = 'wk_test_key_0123456789'
const path = '/whatsapp/wa-group/create'

/** Starts a server in another process with the settings of the guide. It keeps groups in memory: only the responses count. */
const startMachine = async (port: number) => {
  const settings = {
    port,
    database: ':memory:',
    logLevel: 'silent',
    trustProxy: 1,
    controlToken: 'a-control-token-of-24-bytes',
    rateLimitPerAddress: 0,
    rateLimitPerKey: 0,
    rateLimitPerOrganization: 0,
    organizations: [
      { id: 'acme', integrations: [{ wabaNumber: '+15550100001' }], apiKeys: [{ key: apiKey }] },
    ],
  }
  const child = spawn(process.execPath, [bundles.serve, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(([code]) => {
      throw new Error(`The server ended with ${code}.`)
    }),
  ])
  return {
    port,
    stop: async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
      child.kill(signal)
      await ended
    },
  }
}

/**
 * Creates groups through the proxies of the guide while the two servers behind them are restarted by SIGTERM, one after the other, as
 * the guide says.
 *
 * @returns how often each status or error occurred, for each proxy.
 */
export const restartBehindProxies = async (
  names: readonly ProxyName[],
  { restarts }: { readonly restarts: number },
): Promise<Record<string, Record<string, number>>> => {
  await using made = new AsyncDisposableStack()
  const start = async (port: number) =>
    made.adopt(await startMachine(port), (machine) => machine.stop('SIGKILL'))
  const machines = [await start(await findFreePort()), await start(await findFreePort())]
  const servers = machines.map(({ port }) => `http://127.0.0.1:${port}`)
  const agent = made.adopt(new Agent({ keepAlive: true }), (each) => each.destroy())
  const request = {
    method: 'POST',
    headers: { authorization: apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ wabaNumber: '+15550100001', subject: 'Team' }),
  }
  let isOver = false
  const outcomes: Record<string, Record<string, number>> = {}
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
    for (let client = 0; client < 4; client++) clients.push(create())
  }
  made.defer(() => {
    isOver = true
  })
  for (let restart = 0; restart < restarts; restart++) {
    const machine = machines.shift()
    if (machine === undefined) break
    await machine.stop('SIGTERM')
    const next = await start(machine.port)
    machines.push(next)
    while (!(await fetch(`http://127.0.0.1:${next.port}/readyz`)).ok) await sleep(100)
    await sleep(pauseMs)
  }
  isOver = true
  await Promise.all(clients)
  return outcomes
}
