import {
  describeFields,
  type ResponseForm,
  readPath,
  responseFields,
  responseHeaders,
} from '@wabakit/contract/profile'
import type { Exchange } from '../endpoint/send.ts'
import { parseJson } from './parse-json.ts'

const findRetryAfter = (text: string | undefined): ResponseForm['retryAfter'] => {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return 'seconds'
  return Number.isNaN(Date.parse(text)) ? undefined : 'date'
}

/**
 * Returns the form of a response, without its values.
 *
 * @param groupId - the id that the request contained.
 */
export const readForm = (
  { status = 0, headers, body: text }: Pick<Exchange, 'status' | 'headers' | 'body'>,
  { groupId }: { readonly groupId?: string | undefined } = {},
): ResponseForm => {
  const json = parseJson(text)
  const isJson = typeof json === 'object' && json !== null
  const isHtml = /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(text)
  const fields = isJson ? describeFields(json, responseFields) : {}
  const isEcho = groupId !== undefined && readPath(json, 'groupId') === groupId
  const retryAfter = findRetryAfter(headers['retry-after'])
  return {
    status,
    body: isJson ? 'json' : text.trim() === '' ? 'empty' : isHtml ? 'html' : 'text',
    fields: isEcho ? { ...fields, groupId: 'as-sent' } : fields,
    headers: responseHeaders.filter((name) => headers[name] !== undefined),
    ...(retryAfter !== undefined && { retryAfter }),
  }
}

/** Formats the form of a response: `404 JSON statusCode, message (array)`. */
export const formatForm = (form: ResponseForm | 'accepted'): string => {
  if (form === 'accepted') return form
  const { status, body, fields, headers, retryAfter } = form
  const names = Object.entries(fields)
    .filter(([, kind]) => kind !== 'object')
    .map(([path, kind]) => (kind === 'string' || path === 'statusCode' ? path : `${path} (${kind})`))
  const format = body === 'json' ? 'JSON' : body === 'html' ? 'HTML' : body
  const shown = headers.map((name) =>
    name === 'retry-after' && retryAfter ? `${name} (${retryAfter})` : name,
  )
  return [`${status} ${[format, names.join(', ')].filter(Boolean).join(' ')}`, ...shown].join('; ')
}
