import * as z from 'zod/mini'

/** The network a call went through: `PSTN` (telephone) or `WHATSAPP`. */
export const Channel = /* @__PURE__ */ z.enum(['PSTN', 'WHATSAPP'])
export type Channel = z.infer<typeof Channel>

/** `INCOMING` (customer to business) or `OUTGOING` (business to customer). */
export const CallDirection = /* @__PURE__ */ z.enum(['INCOMING', 'OUTGOING'])
export type CallDirection = z.infer<typeof CallDirection>

/** Who handled the call: `AI_BOT`, or `AGENT` for a team member. */
export const CallType = /* @__PURE__ */ z.enum(['AI_BOT', 'AGENT'])
export type CallType = z.infer<typeof CallType>

/** What started the call: `INBOUND` (customer called), `CAMPAIGN`, `API` (public API) or `UI` (vendor's app). */
export const TriggeredVia = /* @__PURE__ */ z.enum(['INBOUND', 'CAMPAIGN', 'API', 'UI'])
export type TriggeredVia = z.infer<typeof TriggeredVia>

/** A group's join policy: anyone with the link (`auto_approve`) or only after an admin agrees (`approval_required`). */
export const JoinApprovalMode = /* @__PURE__ */ z.enum(['auto_approve', 'approval_required'])
export type JoinApprovalMode = z.infer<typeof JoinApprovalMode>
