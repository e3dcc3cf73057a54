import { parseJson, type ReadValue, readValues } from './read-values.ts'
import { type RecordedRequest, toRequest } from './recorded-request.ts'

/** The forms of a file that {@link readRecords} reads, for people. */
export const expectedForms =
  'A file has webhook bodies as JSON, one per line, pretty-printed or in an array, or what capture has recorded. For logs, --path names the field with the body, such as body or req.body.'

/** What a line of a file, or an item of an array, contains. */
export type ReadRecord = {
  readonly line: number
  /** The position among several records of the value that begins in this line, from 1. */
  readonly item?: number
  /** `undefined` if there is nothing at the path. */
  readonly request: RecordedRequest | 'refused' | undefined
}

/**
 * Lists what is in a field, such as `req.body`. Of an array on the way or at the end, reads each item. Parses a string on the way
 * as JSON, because many logs contain JSON in strings.
 */
const listAtPath = (json: unknown, path: readonly string[]): readonly unknown[] => {
  const [name, ...rest] = path
  if (name === undefined) return [json].flat(2)
  const value = typeof json === 'string' ? parseJson(json) : json
  if (Object.hasOwn(Object(value), name)) return listAtPath(Object(value)[name], rest)
  return Array.isArray(value) ? value.flatMap((item) => listAtPath(item, path)) : [undefined]
}

/** A log has few braces in front of its JSON. Each of them is a place to try. */
const maxBraces = 16

/** Reads the JSON object that begins at a brace, and ends at the one that closes it. */
const readObject = (text: string, start: number): unknown => {
  let depth = 0
  let isQuoted = false
  for (let index = start; index < text.length; index += 1) {
    const character = text[index]
    if (isQuoted && character === '\\') index += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    if (depth === 0) return parseJson(text.slice(start, index + 1))
  }
  return undefined
}

/** Reads a line of a log, which may have texts such as a time and an id around its JSON. */
const readLogLine = ({ bytes, json }: ReadValue): unknown => {
  if (json !== undefined) return json
  const text = bytes.toString()
  let start = text.indexOf('{')
  for (let tried = 0; start >= 0 && tried < maxBraces; tried += 1) {
    const found = readObject(text, start)
    if (found !== undefined) return found
    start = text.indexOf('{', start + 1)
  }
  return undefined
}

/**
 * Yields what a file, or standard input for `-`, contains: bodies or recorded requests, one per line, pretty-printed or in
 * arrays. With `path`, yields what is in this field of each.
 */
export async function* readRecords(file: string, path?: string): AsyncGenerator<ReadRecord> {
  const names = path?.split('.')
  for await (const value of readValues(file)) {
    const { line, bytes } = value
    const json = names === undefined ? value.json : readLogLine(value)
    if (names === undefined && !Array.isArray(json)) {
      yield { line, request: toRequest(json, bytes) }
      continue
    }
    const items = listAtPath(json, names ?? [])
    yield* items.map((item, index) => ({
      line,
      ...(items.length > 1 && { item: index + 1 }),
      request: item === undefined ? undefined : toRequest(item),
    }))
  }
}
