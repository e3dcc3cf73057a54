import type { Fetch } from '@wabakit/client'
import { networkFaults } from '../plan.ts'
import { createOwner, type Owner } from '../virtual/event-loop.ts'
import type { RunContext } from './run-context.ts'
import type { Server, Servers } from './servers.ts'
import { createConnectionError } from './webhook-network.ts'

/** The faults that can occur. Requests are never duplicated, and clients neither die nor pause. */
const apiFaults = networkFaults.filter(
  (fault) => fault !== 'duplicated' && fault !== 'dies before' && fault !== 'stands still',
)

const encoder = new TextEncoder()

/** Creates the network between clients and the API. The returned function creates the `fetch` of a client. */
export const createApiNetwork =
  (run: RunContext, servers: Servers) =>
  (owner: Owner): Fetch =>
  (url, { method, headers, body = '', signal }) =>
    new Promise((resolve, reject) => {
      const { plan, draws, loop } = run
      const { name } = owner
      const fault = run.faults.decide(`${name} to the API`, apiFaults, plan.rates?.network)
      if (fault !== undefined) run.note(`${name} to the API: ${fault}`)
      signal.addEventListener('abort', () => reject(signal.reason))
      if (fault === 'request lost') return
      const back = (settle: () => void): void => {
        const delayMs = run.travel(`back to ${name}`, 3)
        loop.schedule({ owner, delayMs, label: 'response of the API' }, settle)
      }
      const { pathname, search } = new URL(url)
      const serve = async ({ service }: Server): Promise<Response> => {
        const response = await service.respond({
          method,
          path: pathname,
          query: search,
          headers: new Headers(headers),
          readBody: async () => encoder.encode(fault === 'truncated' ? body.slice(0, -2) : body),
        })
        return new Response(response.body, { status: response.status, headers: response.headers })
      }
      const arrive = () => {
        const wanted = draws.pick('balanced', [plan.servers[0], ...plan.servers.slice(1)])
        const server = servers.find(wanted?.name)
        if (server === undefined) return back(() => reject(createConnectionError('ECONNREFUSED')))
        const reset = (): void => back(() => reject(createConnectionError('ECONNRESET')))
        server.resets.add(reset)
        loop.schedule({ owner: server.user.owner, delayMs: 0, label: 'request' }, () => {
          void serve(server).then((response) => {
            server.resets.delete(reset)
            if (server.user.owner.state === 'ended' || fault === 'response lost') return
            back(() => resolve(response))
          })
        })
        if (fault === 'dies after') {
          const delayMs = draws.between('dies after', [0, 4])
          loop.schedule({ delayMs, label: 'die' }, () => run.kill(server.name))
        }
      }
      const delayMs =
        fault === 'delayed' ? draws.between(`${name} delayed`, [100, 20_000]) : run.travel(name, 3)
      loop.schedule({ owner: createOwner('network'), delayMs, label: 'to the API' }, arrive)
    })
