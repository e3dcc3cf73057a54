import type { Settlement } from '@wabakit/core'

/**
 * Returns how long a result may wait to be written with others, in milliseconds. Nothing is in a hurry after a failed
 * attempt, and commits of their own would delay the deliveries to others.
 */
export const getPatienceMs = ({ result: { kind } }: Settlement): number =>
  kind === 'delivered' || kind === 'released' ? 0 : 50
