import type { DeliveryFetch, DeliveryResponse } from '@wabakit/core'
import { networkFaults } from '../plan.ts'
import { createOwner, type Owner } from '../virtual/event-loop.ts'
import type { Endpoint, EndpointResponse } from './endpoints.ts'
import type { RunContext } from './run-context.ts'

/** Creates the error that Node's `fetch` throws when a connection fails. */
export const createConnectionError = (code: 'ECONNREFUSED' | 'ECONNRESET'): TypeError =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) })

export const createWebhookNetwork = (
  run: RunContext,
  endpoints: ReadonlyMap<string, Endpoint>,
  owner: Owner,
): DeliveryFetch => {
  const { plan, draws, loop, faults, observe } = run
  const { name } = owner
  const network = createOwner('network')

  return (url, { headers, body, signal }, attempted) =>
    new Promise((resolve, reject) => {
      // The server has died during this task.
      if (owner.state === 'ended') return
      const endpoint = endpoints.get(new URL(url).hostname.replace('.example', ''))
      if (endpoint === undefined) throw new Error(`There is no endpoint at ${url}.`)
      const route = `${name} to ${endpoint.name}`
      let isOver = false
      const end = (response: DeliveryResponse | undefined): boolean => {
        if (isOver) return false
        isOver = true
        observe({ kind: 'attempt ended', server: name, attempted, response })
        return true
      }
      const webhookId = headers['webhook-id'] ?? ''
      observe({ kind: 'attempt started', server: name, attempted, webhookId })
      signal.addEventListener('abort', () => end(undefined))
      const fault = faults.decide(route, networkFaults, plan.rates?.network)
      if (fault !== undefined) run.note(`${route}: ${fault}`)
      if (fault === 'dies before') return run.kill(name)

      const respond = (response: EndpointResponse): void => {
        if (response === 'nothing' || fault === 'response lost') return
        const delayMs = run.travel(`${route} back`, 5)
        loop.schedule({ owner, delayMs, label: `response of ${endpoint.name}` }, () => {
          if (response === 'refused') {
            if (end(undefined)) reject(createConnectionError('ECONNREFUSED'))
          } else if (end(response)) resolve(response)
        })
      }
      const arrive = (): void => {
        const isComplete = fault !== 'truncated'
        const sent = isComplete ? body : body.slice(0, body.length / 2)
        if (isComplete) observe({ kind: 'arrived', webhookId, body })
        endpoint.receive({ url, headers: new Headers(headers), body: sent }, respond)
      }
      const send = (delayedMs: number): void => {
        const delayMs = run.travel(route, 5) + delayedMs
        loop.schedule({ owner: network, delayMs, label: route }, arrive)
      }
      if (fault !== 'request lost') {
        send(fault === 'delayed' ? draws.between(`${route} delayed`, [100, 30_000]) : 0)
        if (fault === 'duplicated') send(draws.between(`${route} twice`, [0, 40_000]))
      }
      if (fault === 'dies after') run.kill(name)
      if (fault === 'stands still') run.pause(name)
    })
}
