import { readLines } from './read-lines.ts'

/** A JSON value with the number of its first line. `json` is `undefined` for a line that is not JSON. */
export type ReadValue = { readonly line: number; readonly bytes: Buffer; readonly json: unknown }

/** Maximum size of a value over several lines, which is held in memory until its end. A longer one is read line by line. */
const maxHeldBytes = 256 * 1024 * 1024

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns how many more brackets a line opens than it closes, or `undefined` if it ends within a string, as no line of JSON does. */
const countOpen = (line: string): number | undefined => {
  const rest = line.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '')
  return rest.includes('"') ? undefined : rest.split(/[[{]/).length - rest.split(/[\]}]/).length
}

/**
 * Yields the JSON values of a file, or of standard input for `-`: one per line, or pretty-printed over several. A line that
 * is not JSON is a value of its own, because a torn line must not hide those after it.
 */
export async function* readValues(file: string): AsyncGenerator<ReadValue> {
  let held: ReadValue[] = []
  let heldBytes = 0
  let depth = 0
  for await (const { number, bytes } of readLines(file)) {
    const text = bytes.toString()
    const line = { line: number, bytes, json: held.length > 0 ? undefined : parseJson(text) }
    const opened = line.json === undefined && (held.length > 0 || /^\s*[[{]/.test(text)) && countOpen(text)
    if (typeof opened !== 'number' || heldBytes + bytes.length > maxHeldBytes || depth + opened < 0) {
      yield* readHeld()
      yield line.json === undefined ? { ...line, json: parseJson(text) } : line
      continue
    }
    held.push(line)
    heldBytes += bytes.length
    depth += opened
    if (depth === 0) yield* readHeld()
  }
  yield* readHeld()

  /** Yields the held lines as one value or, if they are not one, each line as a value. */
  function* readHeld(): Generator<ReadValue> {
    const [first] = held
    const bytes = Buffer.concat(held.flatMap((line) => [line.bytes, Buffer.from('\n')])).subarray(0, -1)
    const json = depth === 0 ? parseJson(bytes.toString()) : undefined
    if (first !== undefined && json !== undefined) yield { line: first.line, bytes, json }
    else for (const line of held) yield { ...line, json: parseJson(line.bytes.toString()) }
    held = []
    heldBytes = 0
    depth = 0
  }
}
