import { setTimeout as sleep } from 'node:timers/promises'
import { EffectsError } from '../errors.ts'
import { runCommand } from '../shell.ts'
import { sendRequest } from './send.ts'

/**
 * Source of the application's effects, one per line: a URL, a shell command, or a function. Each line that contains a
 * delivery's `callId` or `groupId` counts as one of its effects.
 *
 * @inline
 */
export type EffectsSource = string | (() => string | Promise<string>)

const readTimeoutMs = 5_000
const maxBytes = 32 * 1_048_576

const readUrl = async (url: string, signal: AbortSignal | undefined): Promise<string> => {
  const request = { method: 'GET', headers: {}, body: new Uint8Array() }
  const limits = { timeoutMs: readTimeoutMs, signal, maxResponseBytes: maxBytes }
  const { status, error, body } = await sendRequest(new URL(url), request, limits)
  if (status !== 200) throw new EffectsError(`the URL of --effects responded ${status ?? `not: ${error}`}`)
  return body
}

const runEffectsCommand = async (command: string, signal: AbortSignal | undefined): Promise<string> => {
  try {
    return await runCommand(command, {
      timeout: readTimeoutMs,
      maxBuffer: maxBytes,
      ...(signal && { signal }),
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw new EffectsError(`the command of --effects failed: ${reason}`, { cause: error })
  }
}

/**
 * Reads all effects as text.
 *
 * @throws EffectsError when they cannot be read.
 */
export const readEffects = async (source: EffectsSource, signal?: AbortSignal): Promise<string> => {
  if (typeof source === 'string') {
    return /^https?:\/\//i.test(source) ? readUrl(source, signal) : runEffectsCommand(source, signal)
  }
  try {
    return await source()
  } catch (error) {
    throw new EffectsError(`the effects function failed: ${error}`, { cause: error })
  }
}

export const countLines = (text: string, subjects: readonly string[]): number[] => {
  const lines = text.split('\n')
  return subjects.map((subject) => lines.filter((line) => line.includes(subject)).length)
}

/** Options for waiting for effects. */
export type PollOptions = {
  /** Returns whether the counts are as high as expected. From then on, they only need to stay the same. */
  isEnough(counts: readonly number[]): boolean
  readonly settleMs: number
  readonly effectMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Repeatedly counts the effects of subjects until the counts are high enough and have stayed the same for `settleMs`,
 * or until `effectMs` has passed.
 *
 * @throws EffectsError when they cannot be read.
 */
export const pollEffects = async (
  source: EffectsSource,
  subjects: readonly string[],
  { isEnough, settleMs, effectMs, signal }: PollOptions,
): Promise<number[]> => {
  const startedAt = performance.now()
  let counts: number[] | undefined
  let changedAt = startedAt
  for (;;) {
    const latest = countLines(await readEffects(source, signal), subjects)
    const now = performance.now()
    if (counts === undefined || latest.join() !== counts.join()) changedAt = now
    counts = latest
    const isSettled = now - changedAt >= settleMs
    if (isSettled && (isEnough(counts) || now - startedAt >= effectMs)) return counts
    if (now - startedAt >= effectMs + 3 * settleMs || signal?.aborted) return counts
    await sleep(Math.max(10, Math.min(100, settleMs / 4)))
  }
}
