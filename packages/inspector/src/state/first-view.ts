import { signal } from '@preact/signals'

/** Maximum time, in milliseconds, for which the overview waits for its records before the page around them is drawn. */
export const maxWaitMs = 300

/**
 * Set once the page of the overview is drawn. It waits for its records, because its layout would have to be computed without them
 * first, which delays them. Lists do not wait, because they measure the page.
 */
export const isDrawn = signal(false)
