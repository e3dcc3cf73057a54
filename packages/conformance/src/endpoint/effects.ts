import { setTimeout as sleep } from 'node:timers/promises'
import { EffectsError } from '../errors.ts'
import { runCommand } from '../shell.ts'
import { sendRequest } from './send.ts'
import type { ServedClock } from './served-clock.ts'
import { splitEffects } from './split-effects.ts'

/** A URL, a shell command, or a function. @inline */
export type EffectsSource = string | (() => string | Promise<string>)

type Reader = {
  readonly signal: AbortSignal
  readonly clock: ServedClock
  /** How long to try again if the effects cannot be read, in milliseconds. At least one further attempt is made. @default 0 */
  readonly retryReadMs?: number
}

const readTimeoutMs = 5_000
const maxBytes = 32 * 1_048_576

const readUrl = async (url: string, reader: Reader): Promise<string> => {
  const request = { method: 'GET', headers: {}, body: new Uint8Array() }
  const limits = { timeoutMs: readTimeoutMs, maxResponseBytes: maxBytes, mustBeComplete: true, ...reader }
  if (!URL.canParse(url)) throw new EffectsError('the URL of --effects is not valid')
  const { status, error, body } = await sendRequest(new URL(url), request, limits)
  if (error !== undefined) throw new EffectsError(`the URL of --effects did not respond completely: ${error}`)
  if (status !== 200) throw new EffectsError(`the URL of --effects responded ${status}`)
  return body
}

const readCommand = (command: string, { signal }: Reader): Promise<string> =>
  runCommand(command, { timeout: readTimeoutMs, maxBuffer: maxBytes, signal }).catch((cause: Error) => {
    throw new EffectsError(`the command of --effects failed: ${cause.message}`, { cause })
  })

const readOnce = async (source: EffectsSource, reader: Reader): Promise<string> => {
  if (typeof source === 'string') {
    return (/^https?:\/\//i.test(source) ? readUrl : readCommand)(source, reader)
  }
  try {
    return await source()
  } catch (error) {
    throw new EffectsError(`the effects function failed: ${error}`, { cause: error })
  }
}

const readPauseMs = 200

/**
 * Reads all effects. Tries again for `retryReadMs` if they cannot be read, because the endpoint's database may be locked.
 *
 * @throws EffectsError when they still cannot be read.
 */
export const readEffects = async (
  source: EffectsSource,
  reader: Reader & {
    /** Called with the time until effects that could not be read were read, in milliseconds. */
    onReadLate?(lateMs: number): void
  },
): Promise<string[]> => {
  const { signal, clock, retryReadMs = 0, onReadLate } = reader
  const startedAt = clock.now()
  for (let attempt = 1, isLast = false; ; attempt += 1) {
    try {
      const text = await readOnce(source, reader)
      if (attempt > 1) onReadLate?.(clock.now() - startedAt)
      return splitEffects(text)
    } catch (error) {
      if (isLast || signal.aborted) throw error
    }
    await sleep(readPauseMs)
    isLast = clock.now() - startedAt >= retryReadMs
  }
}

/**
 * Polls the number of effects of each subject until the numbers have not changed for `settleMs`, and either there are
 * enough or `effectMs` has passed. If the numbers keep changing, stops `3 * settleMs` after `effectMs`. Stops early if `signal`
 * aborts.
 *
 * @throws EffectsError when they cannot be read.
 */
export const pollEffects = async (
  source: EffectsSource,
  subjects: readonly string[],
  options: {
    isEnough(counts: readonly number[]): boolean
    settleMs: number
    effectMs: number
    /** Minimum time between two polls, in milliseconds: each may start a process. @default 10 */
    pauseMs?: number
  } & Reader,
): Promise<number[]> => {
  const { isEnough, settleMs, effectMs, pauseMs = 10, signal, clock } = options
  let startedAt = clock.now()
  let counts: number[] | undefined
  let changedAt = startedAt
  // What kept effects from being read may have kept the endpoint from writing them.
  const onReadLate = (lateMs: number): void => {
    startedAt += lateMs
  }
  for (;;) {
    const lines = await readEffects(source, { ...options, onReadLate })
    const latest = subjects.map((subject) => lines.filter((line) => line.includes(subject)).length)
    const now = clock.now()
    if (counts === undefined || latest.join() !== counts.join()) changedAt = now
    counts = latest
    const isSettled = now - changedAt >= settleMs
    if (isSettled && (isEnough(counts) || now - startedAt >= effectMs)) return counts
    if (now - startedAt >= effectMs + 3 * settleMs || signal.aborted) return counts
    // Less often the longer nothing changes: polls all the time would take the CPU that a late worker needs.
    await sleep(Math.max(pauseMs, Math.min(100, settleMs / 4), (now - changedAt) / 20))
  }
}
