import { notify } from '../state/notices.ts'
import { getMessage } from './api-error.ts'
import { connection, type LiveMessage, listen } from './live.ts'

/** Delay between a message and the reload, in milliseconds. Messages come in bursts, which cause only one reload. */
const gatherMs = 200
const pauseMs = 1_000

const all = new Set<{ readonly now: () => void }>()

export const reloadAll = (): void => {
  for (const reload of all) reload.now()
}

/** Performs an action, shows a notice about its result or error, and reloads all records in view if it succeeds. */
export const perform = async <Result>(
  action: () => Promise<Result>,
  report: string | ((result: Result) => string),
): Promise<void> => {
  try {
    const result = await action()
    notify(typeof report === 'string' ? report : report(result))
    reloadAll()
  } catch (error) {
    notify(getMessage(error), { tone: 'bad' })
  }
}

// The page may have missed messages while it was not connected.
connection.subscribe((state) => {
  if (state === 'connected') reloadAll()
})

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) reloadAll()
})

type Part = {
  /** Loads the part. Must not reject. */
  readonly load: () => Promise<void>
  /** Returns whether a message requires the part to be reloaded. */
  readonly isAbout: (message: LiveMessage) => boolean
}

/** Starts reloading a part of the view when messages arrive or `reloadAll` is called, until `stop` is called. */
export const createReload = ({ load, isAbout }: Part) => {
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
  const reload = {
    /** Reloads the part soon, but at most once per second, and never while the page is in the background. */
    request: (): void => {
      if (document.hidden || !all.has(reload)) return
      if (isRunning) next ??= 'later'
      else timer ??= setTimeout(run, Math.max(gatherMs, pausedUntil - performance.now()))
    },
    /** Reloads the part immediately or, while it is loading, as soon as the current load ends. */
    now: (): void => {
      if (!all.has(reload)) return
      clearTimeout(timer)
      if (isRunning) next = 'at_once'
      else void run()
    },
    stop: (): void => {
      all.delete(reload)
      ignore()
      clearTimeout(timer)
    },
  }
  all.add(reload)
  const ignore = listen((message) => {
    if (isAbout(message)) reload.request()
  })
  return reload
}
