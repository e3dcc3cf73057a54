import { signal } from '@preact/signals'

/** Maximum time, in milliseconds, for which the overview waits for its records before the page around them is drawn. */
export const maxWaitMs = 300

/**
 * Set once the overview may be drawn. Until its records are loaded, the page is hidden: a layout without them would only delay the
 * one that has them. Lists are drawn at once, because they measure the page.
 */
export const isDrawn = signal(false)
