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

/** Reads a field, such as `req.body`. A text on the way is read as JSON, because many logs contain JSON in a text. */
const readPath = (json: unknown, path: readonly string[]): unknown => {
  let value = json
  for (const name of path) {
    const parent = Object(typeof value === 'string' ? parseJson(value) : value)
    value = Object.hasOwn(parent, name) ? parent[name] : undefined
  }
  return value
}

/** Reads a line of a log, which may have a text such as a time in front of its JSON. */
const readLogLine = ({ bytes, json }: ReadValue): unknown => {
  const text = bytes.toString()
  return json === undefined && text.includes('{') ? parseJson(text.slice(text.indexOf('{'))) : json
}

const toItems = (json: unknown): readonly unknown[] => (Array.isArray(json) ? json : [json])

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
    const items = toItems(json).flatMap((item) => toItems(names === undefined ? item : readPath(item, names)))
    yield* items.map((item, index) => ({
      line,
      ...(items.length > 1 && { item: index + 1 }),
      request: item === undefined ? undefined : toRequest(item),
    }))
  }
}
