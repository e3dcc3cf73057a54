import { parseJson, type ReadValue, readValues } from './read-values.ts'
import { type RecordedRequest, toRequest } from './recorded-request.ts'

/** The forms of a file that {@link readRecords} reads, for people. */
export const expectedForms =
  'A file has webhook bodies as JSON, one per line, pretty-printed or in an array, or what capture has recorded. For logs, --path names the field with the body, such as body or req.body.'

/** What a line of a file, or an item of an array, contains. */
export type ReadRecord = {
  readonly line: number
  /** The position among several records that begin in this line, from 1. */
  readonly item?: number
  /** `undefined` if there is nothing at the path. */
  readonly request: RecordedRequest | 'refused' | undefined
}

const toItems = (json: unknown): readonly unknown[] => (Array.isArray(json) ? json : [json])

/**
 * Lists what is in a field, such as `req.body`: of each item, if there are arrays on the way. A text on the way is read as JSON,
 * because many logs contain JSON in a text.
 */
const listAtPath = (json: unknown, path: readonly string[]): readonly unknown[] => {
  const [name, ...rest] = path
  if (name === undefined) return toItems(json)
  const value = typeof json === 'string' ? parseJson(json) : json
  const parents = Array.isArray(value) && Object.hasOwn(value, name) ? [value] : toItems(value)
  return parents.flatMap((parent) =>
    Object.hasOwn(Object(parent), name) ? listAtPath(Object(parent)[name], rest) : [undefined],
  )
}

/** A log has few braces in front of its JSON. Each of them is a place to try. */
const maxBraces = 16

/** Reads a line of a log, which may have texts such as a time and an id around its JSON. */
const readLogLine = ({ bytes, json }: ReadValue): unknown => {
  if (json !== undefined) return json
  const text = bytes.toString()
  const end = text.lastIndexOf('}') + 1
  const starts = [...text.matchAll(/\{/g)].slice(0, maxBraces)
  return starts.map(({ index }) => parseJson(text.slice(index, end))).find((found) => found !== undefined)
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
