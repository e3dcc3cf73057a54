/** A subscription that is not failing is behind if its oldest due delivery has waited for more than this, in milliseconds. */
export const behindAfterMs = 60_000
