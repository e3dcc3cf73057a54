import * as z from 'zod/mini'
import { TenantSettings } from './tenant/settings.ts'

/** Options of {@link createMock}. */
export const MockOptions = z.extend(TenantSettings, {
  /** What ids, made-up data and chance come from; a whole number. @default 1 */
  seed: z.optional(z.int()),
  /** Listen on this port of `host`, 0 for a free one. @default in process, no port */
  port: z.optional(z.int().check(z.minimum(0), z.maximum(65_535))),
  /** Where to listen. @default '127.0.0.1' */
  host: z.optional(z.string().check(z.minLength(1))),
  /**
   * `virtual`: time stands still until it is moved. `machine`: it follows the machine's clock, for a mock that people
   * or other processes use. @default 'virtual'
   */
  clock: z.optional(z.enum(['virtual', 'machine'])),
  /** Where the virtual clock starts: an ISO 8601 date-time, or Unix milliseconds. @default '2026-01-01T10:00:00.000Z' */
  startAt: z.optional(
    z.union([
      z.number(),
      z.string().check(
        z.refine((text) => !Number.isNaN(Date.parse(text)), {
          error: 'startAt must be an ISO 8601 date-time',
        }),
      ),
    ]),
  ),
})
export type MockOptions = z.infer<typeof MockOptions>
