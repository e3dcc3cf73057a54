import type { DeliveryResponse } from '@wabakit/core'
import { createReceiver, type DeliveryContext, memoryDedupe, standardWebhooks } from '@wabakit/webhooks'
import { type EndpointBehavior, type EndpointFault, endpointFaults, retryAfters } from '../plan.ts'
import { createOwner, type Owner } from '../virtual/event-loop.ts'
import { wait } from '../virtual/timers.ts'
import { buildSecret, operationalSubscription } from './organization.ts'
import type { RunContext } from './run-context.ts'

/** The response of an endpoint. With `refused`, the connection fails; with `nothing`, no response arrives. */
export type EndpointResponse = DeliveryResponse | 'refused' | 'nothing'

export type WebhookRequest = { readonly url: string; readonly headers: Headers; readonly body: string }

type Respond = (response: EndpointResponse) => void

export type Endpoint = ReturnType<typeof createEndpoint>

const encoder = new TextEncoder()

/** Creates the part of a `Request` that receivers use. A real `Request` takes ten times as long to create and read. */
const toRequest = ({ url, headers, body }: WebhookRequest): Request => {
  let isRead = false
  const request: Pick<Request, 'url' | 'method' | 'headers' | 'bodyUsed' | 'signal'> & { body: unknown } = {
    url,
    method: 'POST',
    headers,
    bodyUsed: false,
    signal: new AbortController().signal,
    body: {
      locked: false,
      getReader: () => ({
        cancel: async () => {},
        read: async () => {
          if (isRead) return { done: true, value: undefined }
          isRead = true
          return { done: false, value: encoder.encode(body) }
        },
      }),
    },
  }
  return request as Request
}

const toResponse = (
  behavior: Exclude<EndpointBehavior, 'flaps'> | EndpointFault | number,
  retryAfter: string | null,
): EndpointResponse => {
  if (behavior === 'refuses') return 'refused'
  if (behavior === 'hangs') return 'nothing'
  return { status: Number(behavior), headers: { get: () => retryAfter }, body: '' }
}

/** Creates the server at a subscription's URL. It uses a real receiver. */
const createEndpoint = (name: string, subscription: string, run: RunContext) => {
  const { plan, draws, loop, faults, observe, now } = run
  const handled = new Set<string>()
  const dedupe = memoryDedupe({ now })
  let owner: Owner = createOwner(name)
  let secrets = [buildSecret(subscription, 1)]
  let current: { readonly behavior: EndpointBehavior; readonly retryAfter: string | null } | undefined
  let flaps = 0
  /** Functions that reset the connections of pending requests. */
  const resets = new Set<() => void>()

  const work = async (_: unknown, { delivery: { id = '' } }: DeliveryContext): Promise<void> => {
    const ms = draws.between(`${name} handles`, plan.handlerMs)
    if (ms > 0) await wait(ms)
    handled.add(id)
    observe({ kind: 'handled', endpoint: name, webhookId: id })
  }
  const open = () =>
    createReceiver({
      verify: standardWebhooks({ secrets: () => secrets, now }),
      dedupe,
      now,
      claimTtlMs: 10_000,
    })
      .onAny(work)
      // The contract does not contain health events.
      .onUnknown(work)
      .onDrift(({ name: event }) => {
        throw new Error(`The receiver got a drifted ${event}.`)
      })
      .onError(() => {})
  let receiver = open()

  const misbehave = (): EndpointResponse | undefined => {
    const fault = faults.decide(name, endpointFaults, plan.rates?.endpoint)
    if (fault !== undefined) run.note(`${name}: ${fault}`)
    const retryAfter = draws.pick(`${name} retry after`, retryAfters)
    if (current?.behavior === 'flaps') return flaps++ % 2 === 0 ? toResponse(502, null) : undefined
    if (current !== undefined) return toResponse(current.behavior, current.retryAfter)
    return fault && toResponse(fault, retryAfter)
  }

  const handle = async (request: WebhookRequest, respond: Respond): Promise<void> => {
    const { status, headers } = await receiver.handle(toRequest(request))
    respond(toResponse(status, headers.get('retry-after')))
  }

  return {
    name,
    handled: handled as ReadonlySet<string>,
    /** Receives a request. Calls `respond`, unless the endpoint hangs. */
    receive: (request: WebhookRequest, respond: Respond) => {
      if (owner.state === 'ended') return respond('refused')
      const bad = misbehave()
      if (bad !== undefined) return respond(bad)
      const reset = (): void => respond('refused')
      resets.add(reset)
      loop.schedule({ owner, delayMs: 0, label: 'webhook' }, () => {
        void handle(request, (response) => {
          resets.delete(reset)
          respond(response)
        })
      })
    },
    /** Kills the process, but keeps its dedupe store. */
    kill: (): void => {
      owner.state = 'ended'
      for (const reset of resets) reset()
      resets.clear()
    },
    start: (): void => {
      if (owner.state !== 'ended') return
      owner = createOwner(name)
      receiver = open()
    },
    behave: (next: typeof current): void => {
      current = next
    },
    /** Adds a secret and returns it. The receiver then also accepts webhooks that are signed with this secret. */
    addSecret: (): string => {
      const secret = buildSecret(subscription, secrets.length + 1)
      secrets = [secret, ...secrets]
      return secret
    },
  }
}

export const createEndpoints = (run: RunContext): ReadonlyMap<string, Endpoint> =>
  new Map(
    [...run.plan.subscriptions, operationalSubscription].map(({ name, endpoint }) => [
      endpoint,
      createEndpoint(endpoint, name, run),
    ]),
  )
