const windowMs = 60_000
const maxFetches = 30
const maxWindows = 10_000

/** Counts a fetch of a call. Returns the seconds until the next one is allowed, or `undefined` if this one is. */
export type FetchLimit = (callId: string) => number | undefined

/**
 * Creates the published limit of the summary endpoint: 30 fetches of a call in a minute that starts with the first of
 * them. Once it counts 10,000 calls, all counts start over.
 */
export const createFetchLimit = (now: () => number): FetchLimit => {
  const windows = new Map<string, { readonly endsAt: number; count: number }>()
  return (callId) => {
    const at = now()
    if (windows.size >= maxWindows) windows.clear()
    const found = windows.get(callId)
    // If a window would end later than a new one, the clock was set back.
    const isCurrent = found !== undefined && found.endsAt > at && found.endsAt <= at + windowMs
    const window = isCurrent ? found : { endsAt: at + windowMs, count: 0 }
    windows.set(callId, window)
    window.count += 1
    return window.count > maxFetches ? Math.ceil((window.endsAt - at) / 1_000) : undefined
  }
}
