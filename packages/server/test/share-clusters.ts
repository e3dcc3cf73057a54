import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PostgresCluster } from './postgres-cluster.ts'
import { variable } from './shared-cluster.ts'

/** Starts a PostgreSQL server for each worker of vitest that asks for one, and removes them after all tests. */
export const setup = async (): Promise<() => Promise<void>> => {
  const clusters = new Map<string, Promise<PostgresCluster>>()
  // Loaded only if it is needed: its library stops what it has started when the process gets a signal.
  const start = async (): Promise<PostgresCluster> => {
    const { createCluster } = await import('./postgres-cluster.ts')
    // With dozens of databases, it would start a process every second or two.
    return createCluster({ settings: { max_connections: '300', autovacuum: 'off' } })
  }
  const answer = async (worker: string): Promise<string> => {
    const cluster = clusters.get(worker) ?? start()
    clusters.set(worker, cluster)
    return String((await cluster).port)
  }
  const server = createServer((request, response) => {
    answer(request.url ?? '').then(
      (port) => response.end(port),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.env[variable] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return async () => {
    server.closeAllConnections()
    server.close()
    for (const cluster of clusters.values()) await (await cluster).remove()
  }
}
