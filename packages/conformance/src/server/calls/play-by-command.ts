import { runCommand } from '../../shell.ts'
import type { PlayCall } from './simulate.ts'

const maxDurationMs = 60_000

/**
 * Turns a command of the platform's shell into a function that makes a call. The command prints the call's id as its last
 * line.
 */
export const playByCommand =
  (command: string): PlayCall =>
  async ({ outcome, channel }) => {
    const filled = command.replaceAll('{outcome}', outcome).replaceAll('{channel}', channel)
    const printed = await runCommand(filled, { timeout: maxDurationMs }).catch((cause: Error) => {
      throw new Error(`The play command failed: ${cause.message}`, { cause })
    })
    const callId = printed.trim().split('\n').at(-1)?.trim()
    if (!callId) throw new Error('The play command printed no call id on standard output.')
    return callId
  }
