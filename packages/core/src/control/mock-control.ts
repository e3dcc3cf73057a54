import * as z from 'zod/mini'
import type { ApiFaults, PlannedFault } from '../simulation/index.ts'
import { named } from './schemas.ts'

/** A plain JSON object. The mock validates each one that it receives. */
export type Json = Readonly<Record<string, unknown>>

/** One thing that happened in a test, in the order of its log. */
export type TestLogEntry = {
  /** Time on the mock's clock, as Unix time in milliseconds. */
  readonly at: number
  /**
   * `step`: what the test asked the mock for. `request`, `event`, `delivery`: what the service received, what happened,
   * and what it sent. `wait`: how a wait ended. `test`: how a test ended.
   */
  readonly kind: 'step' | 'request' | 'event' | 'delivery' | 'wait' | 'test'
  readonly text: string
  /** Further lines, such as the reasons of a failure; empty if there are none. */
  readonly details: string
  readonly failed: boolean
  /** The faults that struck a request or a delivery; empty if there were none. */
  readonly fault: string
}

/** The operations on an organization that only a mock has. */
export type MockTenantControl = {
  readonly apiFaults: ApiFaults
  readonly deliveryFaults: {
    /** Adds a fault, and returns its id. */
    add(fault: Json): string
    list(): readonly PlannedFault<Json>[]
    remove(id: string): void
    clear(): void
  }
  /** Describes the faults that have had no effect yet, apart from `neverRetry` and those with a `chance`. */
  listUnusedFaults(): readonly string[]
  /** Unix time in milliseconds. */
  now(): number
  /** Set if the clock moves only on request. */
  readonly isVirtual: boolean
  /** Lists the work that is due later, earliest first. Times are Unix times in milliseconds. */
  listDue(): Promise<readonly { readonly at: number; readonly description: string }[]>
  /** Lists the waits that have not ended. */
  listWaits(): Promise<readonly { readonly wait: string; readonly reasons: readonly string[] }[]>
  /** Lists what happened since the last reset, oldest first. */
  listLog(): readonly TestLogEntry[]
  /** Moves the clock forward, and resolves when everything that became due is done. */
  advance(duration: number | string): Promise<void>
  /** Waits for an event or a delivery, or asserts that an event has not happened. */
  wait(request: {
    readonly for: 'delivery' | 'event' | 'no_event'
    readonly name: string
    readonly match?: Json | undefined
    readonly timeoutMs?: number | undefined
  }): Promise<Json>
  /** Sends any event, also one that the service itself would not send. */
  trigger(event: string | Json, overrides?: Json): Promise<void>
  /** Returns all recorded requests, events and deliveries, oldest first. */
  getRecordings(): {
    readonly requests: readonly Json[]
    readonly events: readonly Json[]
    readonly deliveries: readonly Json[]
  }
  reset(): void
}

/** The values that an application needs to use the mock as one organization. */
export const Account = named(
  'MockAccount',
  'What an application needs to use the mock as one organization: the values of `createMock`.',
  z.object({
    organizationId: z.string(),
    url: z.string(),
    apiKey: z.string(),
    wabaNumber: z.string(),
    pstnNumber: z.string(),
    secret: z.string(),
    seed: z.number(),
    profile: z.enum(['reference', 'live', 'measured']),
  }),
)
export type MockAccount = z.infer<typeof Account>

/** The mock that a control API belongs to. */
export type MockControl = {
  createTenant(settings: Json): MockAccount
  listTenants(): readonly MockAccount[]
  findTenant(organizationId: string): MockTenantControl | undefined
}
