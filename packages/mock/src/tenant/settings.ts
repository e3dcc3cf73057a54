import { JoinApprovalMode } from '@wabakit/contract'
import * as z from 'zod/mini'

const limit = () =>
  z.optional(
    z.union([
      z.literal(false),
      z.strictObject({ requests: z.int().check(z.minimum(1)), perMs: z.number().check(z.positive()) }),
    ]),
  )

/** How a tenant's organization is set. */
export const TenantSettings = z.strictObject({
  /** `automatic`: every call that can be summarized is. `manual`: only when asked. @default 'automatic' */
  callSummaries: z.optional(z.enum(['automatic', 'manual'])),
  /** What a group gets whose request names no mode. @default 'auto_approve' */
  joinApprovalMode: z.optional(JoinApprovalMode),
  /** Whether groups can be created: a disabled integration answers 422. @default true */
  integrationEnabled: z.optional(z.boolean()),
  /** Send group events as older services do: without the field `event`. @default false */
  olderGroupPayloads: z.optional(z.boolean()),
  /**
   * Limits of requests, as the reference server has them: of the organization, of the key, and of an address without
   * a valid key; each `{ requests, perMs }`, or `false` for none. @default false, no limits
   */
  rateLimit: z.optional(
    z.union([z.literal(false), z.strictObject({ organization: limit(), key: limit(), ip: limit() })]),
  ),
  /** Header that carries the API key. @default 'authorization' */
  authHeader: z.optional(z.string().check(z.minLength(1))),
})
export type TenantSettings = z.infer<typeof TenantSettings>
