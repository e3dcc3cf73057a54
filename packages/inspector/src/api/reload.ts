/** Something in view that is read again when it may have changed. */
export type Reload = {
  /** Reads soon, and at most once a second, however often it is called. A page in the background does not read. */
  request(): void
  /** Reads at once, or as soon as what is being read has arrived. */
  now(): void
  stop(): void
}

/** Messages come in bursts: what follows within this time is read together. */
const gatherMs = 100
const pauseMs = 1_000

const all = new Set<Reload>()

/** Reads everything in view again. */
export const reloadAll = (): void => {
  for (const reload of all) reload.now()
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) reloadAll()
})

/** Creates the reload of something that comes into view. `load` handles its errors itself. */
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
