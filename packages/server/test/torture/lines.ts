import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs'

/** What a server acknowledged: a line of the file that the load writes. */
export type Acknowledgement =
  | { readonly kind: 'group'; readonly groupId: string }
  | { readonly kind: 'step'; readonly callId: string; readonly event: string }
  | { readonly kind: 'summary'; readonly callId: string; readonly recap: string }

/** What arrived at an endpoint: a line of the file that the recorder writes. */
export type Arrival = {
  readonly path: string
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string
}

/** That an attempt has begun or ended: a line of the file that the processes write. */
export type AttemptLine = {
  readonly process: string
  /** Its number in the process. */
  readonly number: number
  readonly monotonic: number
  /** Which event is attempted, and the Unix time in milliseconds; `undefined` when it has ended. */
  readonly begun?: { readonly id: string; readonly at: number }
}

/** That a process is killed, or has ended: a line of the file that the fleet writes. */
export type EndLine = {
  readonly process: string
  readonly isKilled: boolean
  /** Unix time in milliseconds. */
  readonly at: number
  readonly monotonic: number
}

/** Returns the milliseconds of a clock that is never set, and that the processes of a machine share. */
export const readMonotonic = (): number => Number(process.hrtime.bigint()) / 1e6

/** A file of JSON lines that is written as it goes. */
export type LineFile<Line> = { append(line: Line): void; close(): void }

/** Opens a file of JSON lines for appending. */
export const openLines = <Line>(path: string): LineFile<Line> => {
  const file = openSync(path, 'a')
  return {
    append: (line) => appendFileSync(file, `${JSON.stringify(line)}\n`),
    close: () => closeSync(file),
  }
}

/** Reads a file of JSON lines that this test wrote itself. */
export const readLines = <Line>(path: string): Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
