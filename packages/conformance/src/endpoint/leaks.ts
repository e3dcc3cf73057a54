import { createSecretFinder, createSecretHider, listMasked } from '@wabakit/wire'
import { decodeKey, signDelivery } from './payloads.ts'
import { type Exchange, type OutgoingRequest, rawMethod } from './send.ts'
import type { ExaminationSettings } from './settings.ts'

type Secrets = Pick<ExaminationSettings, 'url' | 'urlToken' | 'secret' | 'previousSecret' | 'credentials'>

const listCredentialForms = (value: string): string[] => {
  const encoded = /^basic\s+(\S+)$/i.exec(value)?.[1]
  const password = encoded && Buffer.from(encoded, 'base64').toString().split(':').slice(1).join(':')
  const token = /^bearer\s+(\S+)$/i.exec(value)?.[1]
  return [value, encoded, password, token].filter((form) => form !== undefined)
}

/** Lists a run's secrets, as they were passed and decoded. Those with fewer than 6 characters are omitted. */
export const listSecretForms = ({ urlToken, secret, previousSecret, credentials }: Secrets): string[] =>
  [
    ...[secret, previousSecret].flatMap((each) =>
      each === undefined ? [] : [each, each.replace(/^whsec_/, ''), decodeKey(each).toString('hex')],
    ),
    ...Object.values(credentials).flatMap(listCredentialForms),
    ...(urlToken === undefined ? [] : [urlToken.encoded, urlToken.decoded]),
  ].filter((form) => form.length >= 6)

/** Lists the values of 6 or more characters in the URL's query. One may be a token, even if the sender is known otherwise. */
const listQueryValues = ({ url }: Secrets): string[] =>
  listMasked(url.href).filter(({ length }) => length >= 6)

/** Creates a function that hides a run's secrets of 6 or more characters in a text, in the notations that `@wabakit/wire` knows. */
export const createReportHider = (secrets: Secrets) =>
  createSecretHider(() => [...listSecretForms(secrets), ...listQueryValues(secrets)])

export const hideInExchange = (exchange: Exchange, hide: (text: string) => string): Exchange => {
  const hideAll = (headers: OutgoingRequest['headers']) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().map(hide)]))
  const received = Object.entries(exchange.headers).map(([name, value]) => [name, hide(value)])
  const { query } = exchange.request
  return {
    ...exchange,
    request: {
      ...exchange.request,
      headers: hideAll(exchange.request.headers),
      query: query && hide(query),
      // In raw bytes, the headers are part of the body.
      ...(exchange.request.method === rawMethod && {
        body: Buffer.from(hide(Buffer.from(exchange.request.body).toString('latin1')), 'latin1'),
      }),
    },
    headers: Object.fromEntries(received),
    body: hide(exchange.body),
  }
}

const read = ({ request }: Exchange, header: string): string => String(request.headers[header] ?? '')

/** Returns the correct signature of a request that lacks it, in base64 and hex. A response that has it makes forgery possible. */
const signCorrectly = (exchange: Exchange, secret: string): string[] => {
  const [id, timestamp] = [read(exchange, 'webhook-id'), read(exchange, 'webhook-timestamp')]
  const { body } = exchange.request
  // Skips large bodies, which take a long time to sign.
  if (id === '' || timestamp === '' || body.length > 1_048_576) return []
  const signature = signDelivery(decodeKey(secret), { id, timestamp, body })
  if (read(exchange, 'webhook-signature').includes(signature)) return []
  return [signature.replace(/=+$/, ''), Buffer.from(signature, 'base64').toString('hex')]
}

/** A shorter secret may be a word, so it is only found as it is. */
const minFoundLength = 16

const createFinder = (text: string) => {
  const isWithin = createSecretFinder(text)
  return (form: string): boolean => text.includes(form) || (form.length >= minFoundLength && isWithin(form))
}

/** Finds secrets in a response, and the correct signature of a request that was sent without it. */
export const findLeaks = (exchange: Exchange, settings: Secrets): string[] => {
  const { status, request } = exchange
  if (status === undefined) return []
  const isShown = createFinder([exchange.body, ...Object.values(exchange.headers)].join('\n'))
  const body = Buffer.from(request.body).toString()
  const isHeadSent = createFinder(
    [request.path, request.query ?? settings.url.search, ...Object.values(request.headers).flat()].join('\n'),
  )
  const signatures = settings.secret === undefined ? [] : signCorrectly(exchange, settings.secret)
  return [
    // A response that echoes the request reveals nothing to its sender.
    ...listSecretForms(settings).flatMap((form) =>
      isShown(form) && !body.includes(form) && !isHeadSent(form) ? [`a secret, in a response ${status}`] : [],
    ),
    ...(signatures.some(isShown)
      ? [`the correct signature of a forged delivery, in a response ${status}`]
      : []),
  ]
}
