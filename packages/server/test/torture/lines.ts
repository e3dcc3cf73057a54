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

/** When an endpoint was busy with an attempt: a line of another file of the recorder. */
export type Interval = {
  readonly id: string
  /** Unix time in milliseconds. */
  readonly begun: number
  /**
   * In which turns of its event loop the endpoint noticed the beginning and the end. On a busy machine a turn comes late, and
   * finds the end of one attempt and the beginning of the next in any order.
   */
  readonly turns: readonly [begun: number, ended: number]
}

/** When a process was killed, as Unix time in milliseconds: a line of the file that the fleet writes. */
export type Kill = { readonly process: string; readonly at: number }

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
