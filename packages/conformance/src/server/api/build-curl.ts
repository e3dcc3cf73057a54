import { quote } from '../../shell.ts'
import { type ApiRequest, type KeyName, unknownKey } from './api-request.ts'

export type CurlTarget = { readonly baseUrl: string; readonly authHeader: string }

const keyTexts: Readonly<Record<KeyName, string | undefined>> = {
  api: '$WABAKIT_API_KEY',
  other: '$WABAKIT_OTHER_KEY',
  unknown: unknownKey,
  empty: '',
  none: undefined,
}

const formatBody = (body: string): { before: string; option: string } => {
  if (body.length <= 8_000) return { before: '', option: ` --data-raw ${quote(body)}` }
  return { before: `head -c ${body.length} /dev/zero | tr '\\0' ' ' | `, option: ' --data-binary @-' }
}

/** Returns a shell command that repeats a request. It refers to keys by variables and contains no secret. */
export const buildCurl = (request: ApiRequest, { baseUrl, authHeader }: CurlTarget): string => {
  const { method, path, key, keyPrefix = '', contentType, body } = request
  const keyText = keyTexts[key]
  const { before, option } = body === undefined ? { before: '', option: '' } : formatBody(body)
  const keyOption =
    keyText === undefined
      ? ''
      : keyText === ''
        ? ` -H "${authHeader};"`
        : ` -H "${authHeader}: ${keyPrefix}${keyText}"`
  const typeOption = contentType === undefined ? '' : ` -H ${quote(`content-type: ${contentType}`)}`
  return `${before}curl -i -X ${method} ${quote(baseUrl + path)}${keyOption}${typeOption}${option}`
}
