import { setup as bundleProcesses } from '../../packages/server/test/bundle-processes.ts'
import { hasProxy, type ProxyName, programs } from '../../packages/server/test/reverse-proxy.ts'
import { restartBehindProxies } from '../../packages/server/test/rolling-restarts.ts'
import { publish } from './src/result.ts'

const restarts = Number(process.env.BENCH_ROUNDS ?? 20)
const names = Object.keys(programs) as ProxyName[]
for (const name of names)
  if (!hasProxy(name)) throw new Error(`Install ${name}: ${programs[name].path} does not exist.`)

await bundleProcesses()
const outcomes = await restartBehindProxies(names, { restarts })
console.log(outcomes)
const counted = names.map((name) => {
  const sent = Object.values(outcomes[name] ?? {}).reduce((sum, count) => sum + count, 0)
  return { name, sent, failed: sent - (outcomes[name]?.[200] ?? 0) }
})
publish({
  name: 'restarts',
  title: 'Restarts behind a proxy',
  about: `Genuine requests that fail behind a proxy with the guide's configuration, while its two servers are restarted by SIGTERM ${restarts} times, one at a time.`,
  unit: 'time',
  figures: counted.map(({ name, sent, failed }) => ({
    name,
    figure: `${failed} of ${sent.toLocaleString('en')} failed`,
  })),
  goals: counted.map(({ name, failed }) => ({
    id: 'P15',
    what: `${name}, genuine requests that fail over ${restarts} restarts`,
    result: failed,
    limit: { atMost: 0 },
  })),
})
