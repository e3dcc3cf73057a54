import { comesTrue } from './comes-true.ts'

/** Calls the control API. Rejects unless it succeeds. */
export type Control = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>

const longestMs = 420_000

/** Returns whether every delivery is finished. */
export const isDrained = async (control: Control): Promise<boolean> => {
  const isLeft = async (status: string): Promise<boolean> => {
    const page = await control('GET', `/organizations/torture/deliveries?status=${status}&limit=1`)
    return JSON.stringify(page).includes('"id"')
  }
  const left = await Promise.all(['waiting', 'pending', 'attempting'].map(isLeft))
  return !left.includes(true)
}

/** Waits until all events are delivered, for at most seven minutes: a delivery's second retry is due after five. */
export const drain = async (control: Control): Promise<void> => {
  // The database may still be recovering.
  await comesTrue(() => isDrained(control).catch(() => false), longestMs)
}
