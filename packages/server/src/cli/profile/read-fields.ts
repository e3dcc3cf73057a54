import type { RecordedRequest } from '../recording/recorded-request.ts'

type Fields = Readonly<Record<string, unknown>>

type ReadFields = {
  readonly format: 'json' | 'urlencoded' | 'multipart' | 'query' | 'none'
  /** The fields of the body or the query; `undefined` if the request has neither. */
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

/** Maximum length of a part's head. One with only the name of a field is far shorter. */
const maxHead = 1_000

/** Finds the texts in the parts of a form. Takes linear time, because strangers can send one through the tunnel. */
const readParts = (text: string, type: string): [name: string, value: string][] => {
  const [, boundary] = /boundary="?([^";,]+)/i.exec(type) ?? []
  if (boundary === undefined) return []
  return `\r\n${text}`.split(`\r\n--${boundary}`).flatMap((part): [string, string][] => {
    const end = part.indexOf('\r\n\r\n')
    const head = end > maxHead ? '' : part.slice(0, Math.max(0, end))
    const name = /^content-disposition:[^\r\n]*?\bname="([^"]*)"/im.exec(head)?.[1]
    return name === undefined ? [] : [[name, part.slice(end + 4)]]
  })
}

const readJson = (text: string): Fields | undefined => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? { ...json } : undefined
  } catch {
    return undefined
  }
}

/** Reads the fields of a request: as JSON, as a form, or from the query. */
export const readFields = ({ path, headers, body }: RecordedRequest): ReadFields => {
  const text = body.toString()
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  const json = readJson(text)
  if (json !== undefined) return { format: 'json', fields: json }
  if (/multipart\/form-data/i.test(type)) {
    return { format: 'multipart', fields: fromEntries(readParts(text, type)) }
  }
  if (text.trim() !== '') return { format: 'urlencoded', fields: fromEntries(new URLSearchParams(text)) }
  const query = new URLSearchParams(/\?(.*)$/s.exec(path)?.[1] ?? '')
  return query.size === 0
    ? { format: 'none', fields: undefined }
    : { format: 'query', fields: fromEntries(query) }
}
