import { exec } from 'node:child_process'
import type { PlayCall } from './simulate.ts'

const maxDurationMs = 60_000

/**
 * Turns a command of the platform's shell into a function that makes a call. The command prints the call's id as its last
 * line.
 */
export const playByCommand =
  (command: string): PlayCall =>
  ({ outcome, channel }) =>
    new Promise((resolve, reject) => {
      const filled = command.replaceAll('{outcome}', outcome).replaceAll('{channel}', channel)
      exec(filled, { timeout: maxDurationMs }, (error, stdout, stderr) => {
        const callId = stdout.trim().split('\n').at(-1)?.trim() ?? ''
        if (error !== null) reject(new Error(`The play command failed: ${(stderr || error.message).trim()}`))
        else if (callId === '') reject(new Error('The play command printed no call id on standard output.'))
        else resolve(callId)
      })
    })
