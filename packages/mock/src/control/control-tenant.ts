import type { EventName } from '@wabakit/contract'
import type { ControlContext, Json, MockAccount, MockTenantControl } from '@wabakit/core/control'
import type { RecordedDelivery, RecordedRequest } from '../recording.ts'
import type { Tenant } from '../tenant/create-tenant.ts'
import { describeLog } from '../waiting/describe-log.ts'
import { hideCollector } from './hide-collector.ts'
import { openLiveStream } from './live-streams.ts'

export const getAccount = ({ handles }: Tenant): MockAccount => {
  const { organizationId, url, apiKey, wabaNumber, pstnNumber, secret, seed, profile } = handles
  return { organizationId, url, apiKey, wabaNumber, pstnNumber, secret, seed, profile }
}

const show = <Recorded extends RecordedRequest | RecordedDelivery>(recorded: Recorded) => ({
  ...recorded,
  at: new Date(recorded.at).toISOString(),
  headers: Object.fromEntries(recorded.headers),
})

export const serveTenant = async (
  tenant: Tenant,
): Promise<Omit<ControlContext, 'requests' | 'info' | 'mock'>> => {
  const { handles, apiFaults } = tenant
  const { server } = handles
  const { figures } = server
  const list: typeof figures.list = async (...query) => {
    await figures.write()
    return figures.list(...query)
  }
  const service = { ...server, figures: { ...figures, list } }
  const collectorUrl = tenant.findCollectorUrl()
  return {
    service: collectorUrl === undefined ? service : hideCollector(service, collectorUrl),
    simulation: await tenant.openSimulator(),
    live: { wake: () => {}, open: (start) => openLiveStream(tenant, start) },
    now: handles.clock.now,
    faults: apiFaults,
    findWire: tenant.findWire,
    allowsCustomPayload: () => true,
    userAgent: 'wabakit-mock',
  }
}

export const controlTenant = ({
  handles,
  describeUnusedFaults,
  apiFaults,
  deliveryFaults,
  onRemoteTest,
  isVirtual,
  listUpcoming,
  listWaits,
  listLog,
}: Tenant): MockTenantControl => {
  const wait: MockTenantControl['wait'] = async ({ for: kind, name, match, timeoutMs }) => {
    onRemoteTest()
    // The mock checks names and matches itself, because callers without TypeScript can pass anything.
    const args = [name as EventName, match as never] as const
    if (kind === 'event') return { ...(await handles.waitForEvent(...args, { timeoutMs })) }
    if (kind === 'delivery') return show(await handles.waitForDelivery(...args, { timeoutMs }))
    await handles.expectNoEvent(...args, { forMs: timeoutMs })
    return {}
  }
  return {
    apiFaults,
    deliveryFaults: {
      ...deliveryFaults,
      add: (fault) => {
        onRemoteTest()
        return deliveryFaults.add(fault)
      },
    },
    listUnusedFaults: describeUnusedFaults,
    now: handles.clock.now,
    isVirtual,
    listDue: async () => {
      const now = handles.clock.now()
      return (await listUpcoming()).map(({ inMs, description }) => ({ at: now + inMs, description }))
    },
    listWaits,
    listLog: () => describeLog(listLog()),
    advance: (duration) => handles.clock.advance(duration as number),
    wait,
    trigger: (event: string | Json, overrides?: Json) =>
      typeof event === 'string'
        ? handles.trigger(event as EventName, overrides as never)
        : handles.trigger(event),
    getRecordings: () => ({
      requests: handles.requests.map(show),
      events: handles.events.map((event) => ({ ...event })),
      deliveries: handles.deliveries.map(show),
    }),
    reset: handles.reset,
  }
}
