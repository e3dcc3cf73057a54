import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs'

/** A change that a server acknowledged: a line of the file that the load writes. */
export type Acknowledgement =
  | { readonly kind: 'group'; readonly groupId: string }
  | { readonly kind: 'step'; readonly callId: string; readonly event: string }
  | { readonly kind: 'summary'; readonly callId: string; readonly recap: string }

/** A webhook that arrived at an endpoint: a line of the file that the recorder writes. */
export type Arrival = {
  readonly path: string
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string
}

/** The start or end of an attempt: a line of the file that the processes write. */
export type AttemptLine = {
  readonly process: string
  /** The attempt's number in its process. */
  readonly number: number
  readonly monotonic: number
  /** The event, and the start as Unix time in milliseconds; `undefined` for the end of an attempt. */
  readonly begun?: { readonly id: string; readonly at: number }
}

/** The kill or exit of a process: a line of the file that the fleet writes. */
export type EndLine = {
  readonly process: string
  readonly isKilled: boolean
  /** Unix time in milliseconds. */
  readonly at: number
  readonly monotonic: number
}

/** Returns the time of a monotonic clock shared by all processes on the machine, in milliseconds. */
export const readMonotonic = (): number => Number(process.hrtime.bigint()) / 1e6

/** A file of JSON lines, open for appending. */
export type LineFile<Line> = { append(line: Line): void; close(): void }

/** Opens a file of JSON lines for appending. */
export const openLines = <Line>(path: string): LineFile<Line> => {
  const file = openSync(path, 'a')
  return {
    append: (line) => appendFileSync(file, `${JSON.stringify(line)}\n`),
    close: () => closeSync(file),
  }
}

/** Reads a file of JSON lines without validating them, because this test wrote them. */
export const readLines = <Line>(path: string): Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
