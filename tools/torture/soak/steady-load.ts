import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'

/** The measurements of the load since the last sample. Times are in milliseconds. */
export type LoadSample = {
  readonly creates: readonly number[]
  /** Times from each request to the arrival of its event. */
  readonly arrivals: readonly number[]
  /** Number of failed requests by status; 0 means no response. */
  readonly failed: Readonly<Record<string, number>>
}

/** A load at a constant rate, independent of the speed of the service. */
export type SteadyLoad = {
  /** URL of its endpoint. */
  readonly endpoint: string
  start(url: string): void
  sample(): LoadSample
  /**
   * Stops the load and waits for events. Resolves to the acknowledged groups whose events did not arrive within a
   * minute.
   */
  stop(): Promise<readonly string[]>
}

const headers = { authorization: 'wk_torture_0123456789', 'content-type': 'application/json' }
const calls = '/_wabakit/organizations/torture/calls'
const call = { channel: 'PSTN', channelNumber: '+15550100002', direction: 'INCOMING' }

/**
 * Creates groups at a rate per second. At an eighth of that rate, plays calls, saves their summaries and fetches them.
 */
export const createSteadyLoad = async (rate: number): Promise<SteadyLoad> => {
  let creates: number[] = []
  let arrivals: number[] = []
  let failed: Record<string, number> = {}
  /** The request times of groups whose events have not arrived. */
  const awaited = new Map<string, number>()
  const running = new Set<Promise<unknown>>()
  let isStopped = false

  const server = createServer(async (request, response) => {
    const body = await json(request).catch(() => undefined)
    response.end()
    const id = typeof body === 'object' && body !== null && 'groupId' in body ? String(body.groupId) : ''
    const begun = awaited.get(id)
    if (begun === undefined) return
    arrivals.push(performance.now() - begun)
    awaited.delete(id)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined

  const send = async (url: string, body?: object): Promise<boolean> => {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(url, init).catch(() => undefined)
    await response?.text()
    const status = response?.status ?? 0
    if (!response?.ok) failed[status] = (failed[status] ?? 0) + 1
    return response?.ok ?? false
  }
  const createGroup = async (url: string, groupId: string): Promise<void> => {
    const begun = performance.now()
    awaited.set(groupId, begun)
    const body = { wabaNumber: '+15550100001', subject: 'Soak', groupId }
    if (await send(`${url}/whatsapp/wa-group/create`, body)) creates.push(performance.now() - begun)
    else awaited.delete(groupId)
  }
  const playCall = async (url: string, callId: string): Promise<void> => {
    const customerNumber = `+1555${callId.replace(/\D/g, '').padStart(7, '0')}`
    await send(`${url}${calls}`, { ...call, callId, customerNumber })
    await send(`${url}${calls}/${callId}/steps`, { step: 'accept' })
    await send(`${url}${calls}/${callId}/steps`, { step: 'end' })
    await send(`${url}${calls}/${callId}/summary`, { recap: 'Soak', keyPoints: [], nextSteps: [] })
    await send(`${url}/v1/call/ai-summary?callId=${callId}`)
  }
  const track = (work: Promise<unknown>): void => {
    running.add(work)
    void work.finally(() => running.delete(work))
  }
  const run = async (url: string): Promise<void> => {
    const begun = performance.now()
    for (let count = 0; !isStopped; count++) {
      track(createGroup(url, `group-${count}`))
      if (count % 8 === 0) track(playCall(url, `call-${count}`))
      await setTimeout(Math.max(0, begun + (1_000 * (count + 1)) / rate - performance.now()))
    }
  }

  return {
    endpoint: `http://127.0.0.1:${port}`,
    start: (url) => track(run(url)),
    sample: () => {
      const sample = { creates, arrivals, failed }
      creates = []
      arrivals = []
      failed = {}
      return sample
    },
    stop: async () => {
      isStopped = true
      while (running.size > 0) await Promise.all(running)
      for (let waited = 0; awaited.size > 0 && waited < 60; waited++) await setTimeout(1_000)
      server.closeAllConnections()
      server.close()
      return [...awaited.keys()]
    },
  }
}
