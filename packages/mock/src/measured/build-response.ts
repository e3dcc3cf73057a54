import { reasonPhrases } from '@wabakit/contract'
import { playField, type ResponseForm, type ResponseHeader } from '@wabakit/contract/profile'

type Fields = Readonly<Record<string, unknown>>

const contentTypes = {
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  empty: undefined,
} as const

const phrases: Readonly<Record<number, string>> = reasonPhrases

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const readJson = async (response: Response): Promise<Fields> => {
  const text = await response.text()
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}

/** Fields whose values a response of this status may have, wherever they are in its body. */
const listSources = (json: Fields, status: number, isSameStatus: boolean): Fields => {
  const { summary } = json
  const phrase = phrases[status] ?? 'Error'
  const problem = {
    ...{ statusCode: status, status, error: phrase, title: phrase, detail: phrase },
    ...{ message: phrase, code: phrase.toUpperCase().replaceAll(' ', '_') },
  }
  const known = isSameStatus || status < 300 ? { ...problem, ...json } : problem
  const found = { ...(isObject(summary) && summary), ...known }
  return { ...found, data: found }
}

const waitSeconds = 5

const writeHeader = (name: ResponseHeader, { retryAfter }: ResponseForm, { headers }: Response): string => {
  const own = headers.get(name)
  switch (name) {
    case 'retry-after':
      if (retryAfter === 'date') return new Date(Date.now() + waitSeconds * 1_000).toUTCString()
      return own ?? String(waitSeconds)
    case 'ratelimit':
      return own ?? '"default";r=10;t=60'
    case 'ratelimit-policy':
      return own ?? '"default";q=60;w=60'
    case 'www-authenticate':
      return own ?? 'Bearer'
    case 'x-request-id':
      return own ?? crypto.randomUUID()
    default:
      return own ?? '60'
  }
}

/** Builds a response of the form that was seen, with the values of the response that the mock would send. */
export const buildResponse = async (form: ResponseForm, response: Response): Promise<Response> => {
  const { status, body } = form
  const json = await readJson(response)
  const source = listSources(json, status, status === response.status)
  const fields = Object.entries(form.fields).reduce<Fields>(
    (built, [path, kind]) => playField(built, { path, kind, source: kind === 'object' ? {} : source }),
    {},
  )
  const phrase = phrases[status] ?? 'OK'
  const bodies = {
    json: JSON.stringify(fields),
    html: `<html><body>${phrase}</body></html>`,
    text: phrase,
    empty: null,
  }
  const headers = new Headers()
  const contentType = contentTypes[body]
  if (contentType !== undefined) headers.set('content-type', contentType)
  for (const name of form.headers) headers.set(name, writeHeader(name, form, response))
  return new Response([204, 205, 304].includes(status) ? null : bodies[body], { status, headers })
}
