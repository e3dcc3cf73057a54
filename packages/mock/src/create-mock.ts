import { startTime } from './data/start-time.ts'
import { MockUsageError } from './errors/mock-usage-error.ts'
import { parseInput } from './input.ts'
import { MockOptions } from './mock-options.ts'
import { createTenant, type Tenant } from './tenant/create-tenant.ts'
import { TenantSettings } from './tenant/settings.ts'
import type { MockTenant } from './tenant/tenant.ts'
import { createMachineTime } from './time/machine-time.ts'
import { createVirtualTime } from './time/virtual-time.ts'

/** The vendor in a test suite: its own first tenant, and as many others as there are tests. */
export type Mock = MockTenant & {
  /**
   * A further organization with its own key, numbers, secret, clock, faults and recordings. Made at once, costs next
   * to nothing: tests that run at the same time take one each. `mock.fetch`, the port and msw handlers find it by
   * its key.
   */
  tenant(settings?: TenantSettings): MockTenant
  /** Ends the mock with all its tenants: closes the port, sends nothing more, and rejects who still waits. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const inProcessUrl = 'https://wabakit-mock.invalid'

/** The tenant whose key the request mentions, wherever a client puts it. */
const findTenant = (tenants: ReadonlyMap<string, Tenant>, request: Request): Tenant | undefined => {
  for (const value of request.headers.values()) {
    for (const word of value.split(' ')) {
      const tenant = tenants.get(word)
      if (tenant !== undefined) return tenant
    }
  }
  return undefined
}

/**
 * Makes a mock: the reference server's own rules, with a clock, faults and handles for tests.
 *
 * @param options - seed, port, clock, and settings of the first organization.
 * @throws MockUsageError when an option is unknown or cannot be right.
 * @example
 * await using mock = await createMock()
 * mock.deliverTo(receiver)
 * const { groupId } = await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
 * await mock.waitForDelivery('GROUP_CREATED', { groupId })
 */
export const createMock = async (options: MockOptions = {}): Promise<Mock> => {
  const {
    seed = 1,
    port,
    host = '127.0.0.1',
    clock,
    startAt = startTime,
    ...settings
  } = parseInput('createMock', MockOptions, options)
  const tenants = new Map<string, Tenant>()
  const answer: Tenant['answer'] = (request, connection) =>
    (findTenant(tenants, request) ?? first).answer(request, connection)
  const listening =
    port === undefined ? undefined : await (await import('#port')).listen(answer, { port, host })

  const createTime = () =>
    clock === 'machine'
      ? createMachineTime(console.error)
      : createVirtualTime(new Date(startAt).getTime(), console.error)
  const add = (own: TenantSettings): Tenant => {
    const tenant = createTenant({
      seed,
      number: tenants.size,
      settings: own,
      url: listening?.url ?? inProcessUrl,
      isListening: listening !== undefined,
      createTime,
    })
    tenants.set(tenant.handles.apiKey, tenant)
    return tenant
  }
  const first = add(settings)

  const closeAll = async (): Promise<void> => {
    await Promise.all([...tenants.values()].map((tenant) => tenant.close()))
    await listening?.close()
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= closeAll()
    return closing
  }

  return Object.assign(first.handles, {
    fetch: async (input: string | URL | Request, init?: RequestInit) =>
      answer(input instanceof Request && init === undefined ? input : new Request(input, init)),
    tenant: (own: TenantSettings = {}) => {
      if (closing !== undefined) throw new MockUsageError('tenant: this mock is closed. Make a new one.')
      return add(parseInput('tenant', TenantSettings, own)).handles
    },
    close,
    [Symbol.asyncDispose]: close,
  })
}
