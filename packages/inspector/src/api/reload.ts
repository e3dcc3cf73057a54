import { notify } from '../state/notices.ts'
import { getMessage } from './api-error.ts'
import { connection, isAwaited, type LiveMessage, listen } from './live.ts'
import { info } from './send.ts'

/** Minimum delay between a message and the reload, in milliseconds, so that a short burst of messages causes only one. */
const gatherMs = 200
/** Minimum time from a reload to one for a message, in milliseconds. It doubles while messages keep coming, up to the maximum. */
const pauseMs = 1_000
const maxPauseMs = 3_000

/** Interval, in milliseconds, at which the page looks for attempts of other processes, which the live stream omits. */
const pollMs = 5_000

const all = new Set<{ readonly now: () => void; readonly request: () => void }>()

export const reloadAll = (): void => {
  for (const reload of all) reload.now()
}

/** Starts looking for attempts of other processes, which only a server on PostgreSQL has. Returns a function that stops it. */
export const startPolling = (): (() => void) => {
  const timer = setInterval(() => {
    if (info.value?.database === 'postgresql') for (const reload of all) reload.request()
  }, pollMs)
  return () => clearInterval(timer)
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

/** Waits while the live stream is connecting: what is loaded before that would be loaded again afterwards. */
const untilConnected = async (): Promise<void> => {
  if (!isAwaited.peek()) return
  await new Promise<void>((resolve) => {
    const stop = isAwaited.subscribe((awaited) => {
      if (awaited) return
      stop()
      resolve()
    })
  })
}

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
  let pause = pauseMs
  let pausedUntil = 0
  /** Set if a message arrived during the last load or the pause after it. */
  let isBusy = false

  const run = async (): Promise<void> => {
    timer = undefined
    isRunning = true
    await untilConnected()
    if (!all.has(reload)) return
    next = undefined
    await load()
    isRunning = false
    pause = isBusy ? Math.min(pause * 2, maxPauseMs) : pauseMs
    isBusy = false
    pausedUntil = performance.now() + pause
    if (next === 'at_once') reload.now()
    else if (next === 'later') reload.request()
  }
  const reload = {
    /** Reloads the part soon: at most once per second, and less often in a burst. Does nothing in the background. */
    request: (): void => {
      if (document.hidden || !all.has(reload)) return
      isBusy ||= isRunning || performance.now() < pausedUntil
      if (isRunning) next ??= 'later'
      else timer ??= setTimeout(run, Math.max(gatherMs, pausedUntil - performance.now()))
    },
    /** Reloads the part immediately, or as soon as the current load ends or the stream has connected. */
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
