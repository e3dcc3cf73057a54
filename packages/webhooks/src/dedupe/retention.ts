/** How long a handled delivery is remembered when nothing else is said: longer than a retry schedule, in milliseconds. */
export const defaultRetentionMs = 7 * 24 * 3_600_000
