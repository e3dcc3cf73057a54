import * as z from 'zod/mini'

/** Details about accepting a call. @inline */
export const CallAcceptance = z.strictObject({
  /**
   * Phone number of the team member who answers.
   * @default the number passed to `start`
   */
  agentNumber: z.optional(z.string()),
  /**
   * Start of the conversation, as Unix time in milliseconds, for a past call. A time in the future counts as now.
   * @default now
   */
  startedAt: z.optional(z.int().check(z.gte(0))),
})
export type CallAcceptance = z.infer<typeof CallAcceptance>

/** Details about the end of a conversation. @inline */
export const CallEnding = z.strictObject({
  /**
   * Length of the conversation, in whole seconds: the time from acceptance to the end. It cannot exceed the time since
   * acceptance, because no event may contain a future time. For a past call, pass `startedAt` to `accept`.
   * @default the time since it was accepted
   */
  durationInSeconds: z.optional(z.number()),
  /**
   * Set if there is a recording. Without one, no summary can be generated.
   * @default true
   */
  recorded: z.optional(z.boolean()),
  /**
   * Set if anything was said; otherwise no summary can be generated.
   * @default true
   */
  spoken: z.optional(z.boolean()),
})
export type CallEnding = z.infer<typeof CallEnding>
