import {
  type ControlContext,
  createControlApi,
  type MockControl,
  type MockTenantControl,
} from '../control/index.ts'
import { createReferenceServer } from '../create-reference-server.ts'
import { ControlError, toErrorResponse } from '../hosting/control-error.ts'
import { createRequestLog } from '../hosting/request-log.ts'
import { createMemoryStore } from '../memory-store/memory-store.ts'
import { readObjects } from './object-text.ts'
import type { Trace } from './save-trace.ts'

const refuse = (): never => {
  throw new ControlError(
    'not_found',
    'This is the trace of a test: it shows what happened, and changes nothing.',
  )
}

const createTenantControl = (trace: Trace): MockTenantControl => {
  const faults = { add: refuse, remove: refuse, clear: refuse, take: refuse }
  return {
    apiFaults: { ...faults, list: () => [...trace.apiFaults] },
    deliveryFaults: { ...faults, list: () => trace.deliveryFaults },
    listUnusedFaults: refuse,
    now: () => trace.now,
    isVirtual: trace.isVirtual,
    listDue: async () => trace.due,
    listWaits: async () => trace.waits,
    listLog: () => trace.log,
    advance: refuse,
    wait: refuse,
    trigger: refuse,
    getRecordings: refuse,
    reset: refuse,
  }
}

/**
 * Opens a trace that `saveTrace` wrote, so that it can be read as through the mock's control API when it was saved.
 *
 * @returns a function that responds to requests that only read.
 */
export const openTrace = (text: string): ((request: Request) => Promise<Response>) => {
  // The page and the trace are in one file, so they are of one version.
  const trace = readObjects(text) as Trace
  const now = () => trace.now
  const store = createMemoryStore({ contents: trace.records })
  const service = createReferenceServer({ store, clock: { now }, fetch: async () => refuse() })
  const requests = createRequestLog()
  for (const each of trace.requests) requests.put(each)
  const tenant = createTenantControl(trace)
  const mock: MockControl = { createTenant: refuse, listTenants: refuse, findTenant: () => tenant }
  const context: ControlContext = {
    service,
    simulation: {
      simulateCall: refuse,
      findDueSummary: (_organizationId, callId) => trace.dueSummaries[callId],
    },
    live: { open: refuse, wake: () => {} },
    requests,
    now,
    info: { version: trace.version, database: 'memory', role: 'all', can: ['faults', 'mock'] },
    faults: tenant.apiFaults,
    mock,
    allowsCustomPayload: () => false,
    findWire: (deliveryId, number) => trace.wires.get(deliveryId)?.[number - 1],
    userAgent: 'wabakit-mock',
  }
  const respond = createControlApi({ findContext: () => context })
  return async (request) => {
    try {
      return request.method === 'GET' ? await respond(request) : refuse()
    } catch (error) {
      const { body, ...init } = toErrorResponse(error, 'req_of_a_trace')
      return new Response(body, init)
    }
  }
}
