import type { RequestLog } from '@wabakit/core/hosting'
import { saveTrace } from '@wabakit/core/trace'
import manifest from '../../package.json' with { type: 'json' }
import type { Account } from '../data/account.ts'
import type { TenantFaults } from '../faults/faults.ts'
import type { TenantSettings } from '../mock-options.ts'
import { describeLog } from '../waiting/describe-log.ts'
import type { Upcoming } from '../waiting/timeout-message.ts'
import type { Waiters } from '../waiting/waiters.ts'
import type { TenantState } from './tenant-state.ts'

export type TracedTenant = {
  readonly account: Account
  readonly settings: TenantSettings
  readonly state: TenantState
  readonly requests: RequestLog
  readonly faults: TenantFaults
  readonly waiters: Pick<Waiters, 'list'>
  readonly upcoming: readonly Upcoming[]
  readonly collectorUrl: string | undefined
}

const listWebhookSecrets = (auth: TenantSettings['webhookAuth']): string[] => {
  if (auth === undefined) return []
  if ('urlToken' in auth) return [auth.urlToken]
  if ('header' in auth) return [auth.value]
  if ('token' in auth) return [auth.token]
  return [auth.password, `${auth.username}:${auth.password}`]
}

/** Lists the secrets of the account and of `webhookAuth`, and the keys of requests, also wrong ones: they may belong to another service. */
const listSecrets = ({ account, settings, state }: TracedTenant): string[] => [
  account.apiKey,
  account.secret,
  ...listWebhookSecrets(settings.webhookAuth),
  ...state.recorder.requests.flatMap(({ headers }) =>
    ['authorization', 'x-public-api-key', settings.authHeader ?? ''].map((name) =>
      name === '' ? '' : (headers.get(name) ?? '').replace(/^\w+ +/, ''),
    ),
  ),
]

/** Turns faults into plain data. They may contain regular expressions and matchers. */
const toPlain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

/** Creates the trace of what happened since the last reset. */
export const createTrace = async (tenant: TracedTenant): Promise<string> => {
  const { account, state, requests, faults, waiters, upcoming, collectorUrl } = tenant
  const { organizationId } = account
  const { timers, recorder, simulation, wires, rows } = state
  const now = timers.now()
  const { items: calls } = await rows.listCalls({ organizationId, limit: 100_000 })
  const dueSummaries = calls.flatMap(({ callId }) => {
    const at = simulation.calls.findDueSummary(organizationId, callId)
    return at === undefined ? [] : [[callId, at] as const]
  })
  const told = {
    version: manifest.version,
    organizationId,
    now,
    isVirtual: timers.isVirtual,
    log: describeLog(recorder.log),
    waits: await waiters.list(),
    due: upcoming.map(({ inMs, description }) => ({ at: now + inMs, description })),
    dueSummaries: Object.fromEntries(dueSummaries),
    apiFaults: toPlain(faults.api.list()),
    deliveryFaults: toPlain(faults.byId.list()),
    requests: requests.save(organizationId),
    wires,
  }
  return saveTrace(told, {
    store: rows,
    isHidden: ({ url }) => url === collectorUrl,
    secrets: [...new Set(listSecrets(tenant))],
  })
}
