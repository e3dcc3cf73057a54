import type { SentRequest } from '@wabakit/server/control-types'
import { showBody } from './mask.ts'

/** Quotes a text for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Formats a request as a curl command. Secret headers have to be filled in. */
export const formatCurl = ({ url, headers, hiddenHeaders, body }: SentRequest): string =>
  (showBody(body) === body ? '' : '# Personal data is masked, so the signature cannot verify.\n') +
  [
    `curl ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...hiddenHeaders.map((name) => `-H ${quote(`${name}: <secret>`)}`),
    `--data-raw ${quote(showBody(body))}`,
  ].join(' \\\n  ')
