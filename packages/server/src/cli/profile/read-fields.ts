import type { RecordedRequest } from '../recording/recorded-request.ts'

type Fields = Readonly<Record<string, unknown>>

type ReadFields = {
  readonly format: 'json' | 'urlencoded' | 'multipart' | 'query' | 'none'
  /** The event's fields; `undefined` if there are none. */
  readonly fields: Fields | undefined
}

const readText = (value: string): unknown => {
  if (!/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const fromEntries = (entries: Iterable<readonly [string, string]>): Fields =>
  Object.fromEntries([...entries].map(([name, value]) => [name, readText(value)]))

const partPattern =
  /content-disposition:[^\r\n]*?\bname="([^"]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([\s\S]*?)\r\n--/gi

const readJson = (text: string): Fields | undefined => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? { ...json } : undefined
  } catch {
    return undefined
  }
}

/** Finds the fields of an event in a request: as JSON, as a form, or in the query. */
export const readFields = ({ path, headers, body }: RecordedRequest): ReadFields => {
  const text = body.toString()
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  const json = readJson(text)
  if (json !== undefined) return { format: 'json', fields: json }
  if (/multipart\/form-data/i.test(type)) {
    const parts = [...text.matchAll(partPattern)].map(([, name = '', value = '']) => [name, value] as const)
    return { format: 'multipart', fields: fromEntries(parts) }
  }
  if (text.trim() !== '') return { format: 'urlencoded', fields: fromEntries(new URLSearchParams(text)) }
  const query = new URLSearchParams(/\?(.*)$/s.exec(path)?.[1] ?? '')
  return query.size === 0
    ? { format: 'none', fields: undefined }
    : { format: 'query', fields: fromEntries(query) }
}
