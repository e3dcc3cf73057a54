import { setTimeout as sleep } from 'node:timers/promises'
import { CliError, exitCodes } from '../cli-error.ts'
import { sentenceOf } from '../control-client.ts'
import type { Output } from '../output.ts'

/** Options of {@link ready}. */
export type ReadyOptions = { readonly server: string; readonly wait?: number | undefined }

const everyMs = 100

/** Why the server is not ready; `undefined` when it is. */
const ask = async (server: string): Promise<string | undefined> => {
  try {
    const response = await fetch(`${server.replace(/\/+$/, '')}/readyz`, {
      signal: AbortSignal.timeout(5_000),
    })
    return response.ok ? undefined : await sentenceOf(response)
  } catch (error) {
    const { cause, message } = error as Error
    return cause instanceof Error ? cause.message || message : message
  }
}

/**
 * Tells whether a server is ready, or waits until it is.
 *
 * @throws CliError when it is not (after `wait` seconds).
 */
export const ready = async ({ server, wait = 0 }: ReadyOptions, output: Output): Promise<void> => {
  const until = performance.now() + wait * 1_000
  for (;;) {
    const problem = await ask(server)
    if (problem === undefined) {
      output.result({ ready: true, server }, `${output.style('green', 'ready')} ${server}`)
      return
    }
    if (performance.now() >= until) {
      throw new CliError(`${server} is not ready: ${problem}`, exitCodes.unreachable)
    }
    await sleep(everyMs)
  }
}
