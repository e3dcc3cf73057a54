import { notify } from '../state/notices.ts'
import { getMessage } from './api-error.ts'

/** Functions that reload part of the view. */
export type Reload = {
  /** Reloads soon, but at most once per second, and not while the page is in the background. */
  request(): void
  /** Reloads immediately, or as soon as the current load has ended. */
  now(): void
  stop(): void
}

/** Time to wait for further messages before reloading, in milliseconds, because messages come in bursts. */
const gatherMs = 100
const pauseMs = 1_000

const all = new Set<Reload>()

/** Reloads all records in view. */
export const reloadAll = (): void => {
  for (const reload of all) reload.now()
}

/** Performs an action, reports its result or error, and reloads all records in view. */
export const perform = async (action: () => Promise<string>): Promise<boolean> => {
  try {
    notify(await action())
    reloadAll()
    return true
  } catch (error) {
    notify(getMessage(error), { isProblem: true })
    return false
  }
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) reloadAll()
})

/** Creates the functions that reload a mounted part of the view. `load` must handle its own errors. */
export const createReload = (load: () => Promise<void>): Reload => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRunning = false
  let next: 'later' | 'at_once' | undefined
  let pausedUntil = 0

  const run = async (): Promise<void> => {
    timer = undefined
    next = undefined
    isRunning = true
    await load()
    isRunning = false
    pausedUntil = performance.now() + pauseMs
    if (next === 'at_once') reload.now()
    else if (next === 'later') reload.request()
  }
  const reload: Reload = {
    request: () => {
      if (document.hidden || !all.has(reload)) return
      if (isRunning) next ??= 'later'
      else timer ??= setTimeout(run, Math.max(gatherMs, pausedUntil - performance.now()))
    },
    now: () => {
      if (!all.has(reload)) return
      clearTimeout(timer)
      if (isRunning) next = 'at_once'
      else void run()
    },
    stop: () => {
      all.delete(reload)
      clearTimeout(timer)
    },
  }
  all.add(reload)
  return reload
}
