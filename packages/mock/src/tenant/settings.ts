import { JoinApprovalMode } from '@wabakit/contract'
import * as z from 'zod/mini'

/** How a tenant's organization is set. */
export const TenantSettings = z.strictObject({
  /** `automatic`: every call that can be summarised is. `manual`: only when asked. @default 'automatic' */
  callSummaries: z.optional(z.enum(['automatic', 'manual'])),
  /** What a group gets whose request names no mode. @default 'auto_approve' */
  joinApprovalMode: z.optional(JoinApprovalMode),
  /** Whether groups can be created: a disabled integration answers 422. @default true */
  integrationEnabled: z.optional(z.boolean()),
  /** Send group events as older services do: without the field `event`. @default false */
  olderGroupPayloads: z.optional(z.boolean()),
})
export type TenantSettings = z.infer<typeof TenantSettings>
