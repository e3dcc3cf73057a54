import { createRequestLog, sha256 } from '@wabakit/core/hosting'
import { isThisMachine } from './control/this-machine.ts'
import { allowOrigins } from './cors.ts'
import { startTime } from './data/fixtures.ts'
import { MockUsageError } from './errors.ts'
import { parseInput, parseName } from './input.ts'
import { MockOptions, TenantSettings } from './mock-options.ts'
import { createTenant, type Tenant } from './tenant/create-tenant.ts'
import type { MockTenant } from './tenant/tenant.ts'
import type { StateOptions } from './tenant/tenant-state.ts'
import { createMachineTimers } from './time/machine-timers.ts'
import { createVirtualTimers } from './time/virtual-timers.ts'
import { toRequest } from './to-request.ts'

/** The vendor's service for a test suite. The mock itself is the first tenant. */
export type Mock = MockTenant & {
  /**
   * Adds another organization with its own key, numbers, secret, clock, faults and recordings, so that each
   * concurrent test can have one. `mock.fetch`, the port and msw handlers find a tenant by its key.
   */
  tenant(settings?: TenantSettings): MockTenant
  /**
   * Closes the mock and all its tenants: stops listening and delivering, and rejects pending waits for events and
   * deliveries.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const localHost = '127.0.0.1'
const inProcessUrl = 'https://wabakit-mock.invalid'

/**
 * Finds the tenant whose key is in any header of the request. Does not look for further keys of a single tenant, to which the
 * caller falls back anyway.
 */
const findTenant = async (
  tenants: ReadonlyMap<string, Tenant>,
  { headers }: Request,
): Promise<Tenant | undefined> => {
  const words = Array.from(headers.values()).flatMap((value) => value.split(' '))
  const known = tenants.get(words.find((word) => tenants.has(word)) ?? '')
  if (known !== undefined || tenants.size === 1) return known
  // A test may have created further keys.
  const hashes = words.map(sha256)
  for (const tenant of tenants.values()) if (await tenant.hasKey(hashes)) return tenant
  return undefined
}

/** Reads the seed from the environment, so that a whole run can be repeated without changing its tests. */
const readSeed = (): number | undefined => {
  const text = globalThis.process?.env?.WABAKIT_SEED
  if (text === undefined || text === '') return undefined
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  throw new MockUsageError(
    `createMock: WABAKIT_SEED must be a whole number, not ${JSON.stringify(text)}. Copy the seed from the message of the failed test.`,
  )
}

/** Loads the imitations that a profile needs. The environment can name one, so that a whole suite runs with it. */
const loadImitations = async (
  given: MockOptions['profile'],
): Promise<Pick<StateOptions, 'live' | 'measured'>> => {
  const name = given === undefined ? 'createMock: WABAKIT_PROFILE' : 'createMock: profile'
  const profile = given ?? (globalThis.process?.env?.WABAKIT_PROFILE || 'reference')
  const isFile = typeof profile === 'object' || profile.endsWith('.json')
  if (!isFile && parseName(name, ['reference', 'live'] as const, profile) === 'reference')
    return { live: undefined, measured: undefined }
  const live = await import('@wabakit/core/live')
  if (!isFile) return { live, measured: undefined }
  const { imitate, loadProfile } = await import('./measured/imitate.ts')
  return { live, measured: { imitate, profile: loadProfile(profile) } }
}

/**
 * Creates a mock: the reference server with a clock, faults, and functions for tests.
 *
 * @param options - options of the mock, and settings for the first organization.
 * @throws MockUsageError if an option, `WABAKIT_SEED` or `WABAKIT_PROFILE` is unknown or invalid.
 * @throws an error of the runtime if it cannot listen on the port.
 * @example
 * await using mock = await createMock()
 * mock.deliverTo(receiver)
 * const { groupId } = await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
 * await mock.waitForDelivery('GROUP_CREATED', { groupId })
 */
export const createMock = async (options: MockOptions = {}): Promise<Mock> => {
  const {
    seed = readSeed() ?? Math.floor(Math.random() * 2 ** 32),
    profile,
    port,
    host,
    controlToken,
    clock,
    startAt,
    ...firstSettings
  } = parseInput('createMock', MockOptions, options)
  const imitations = await loadImitations(profile)
  if (port === undefined && (host !== undefined || controlToken !== undefined))
    throw new MockUsageError(
      'createMock: host and controlToken need a port. Set port, too; 0 takes a free one.',
    )
  if (clock === 'machine' && startAt !== undefined)
    throw new MockUsageError(
      "createMock: startAt is the start of the virtual clock, and clock is 'machine'. Leave one of them out.",
    )
  if (controlToken === undefined && !isThisMachine(host ?? localHost)) {
    const message = `createMock: with host ${JSON.stringify(host)}, other machines can reach the mock. Set controlToken, too.`
    throw new MockUsageError(message)
  }
  const tenants = new Map<string, Tenant>()
  let control: ((request: Request) => Promise<Response>) | undefined
  const respond: Tenant['respond'] = async (request, connection) => {
    if (!new URL(request.url).pathname.startsWith('/_wabakit/'))
      return ((await findTenant(tenants, request)) ?? first).respond(request, connection)
    const { createControl } = await import('./control/create-control.ts')
    control ??= createControl({
      listTenants: () => [...tenants.values()],
      addTenant: addOpen,
      requests,
      controlToken,
    })
    return control(request)
  }
  const respondOnPort: Tenant['respond'] = (received, connection) =>
    allowOrigins(received, (request) => respond(request, connection))
  const requests = createRequestLog()
  const listening =
    port === undefined
      ? undefined
      : await (await import('#port')).listen(respondOnPort, { port, host: host ?? localHost })

  const createTimers = () =>
    clock === 'machine'
      ? createMachineTimers()
      : createVirtualTimers(new Date(startAt ?? startTime).getTime())
  const addTenant = (settings: TenantSettings): Tenant => {
    const tenant = createTenant({
      seed,
      ...imitations,
      index: tenants.size,
      settings,
      url: listening?.url ?? inProcessUrl,
      isListening: listening !== undefined,
      requests,
      createTimers,
    })
    tenants.set(tenant.handles.apiKey, tenant)
    return tenant
  }
  const first = addTenant(firstSettings)
  const addOpen = (settings: object): Tenant => {
    if (closing !== undefined) throw new MockUsageError('tenant: this mock is closed. Create a new one.')
    return addTenant(parseInput('tenant', TenantSettings, settings))
  }

  const closeAll = async (): Promise<void> => {
    await Promise.all(Array.from(tenants.values(), (tenant) => tenant.close()))
    await listening?.close()
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= closeAll()
    return closing
  }

  return Object.assign(first.handles, {
    fetch: async (input: string | URL | Request, init?: RequestInit) => respond(toRequest(input, init)),
    tenant: (settings: TenantSettings = {}) => addOpen(settings).handles,
    close,
    [Symbol.asyncDispose]: close,
  })
}
