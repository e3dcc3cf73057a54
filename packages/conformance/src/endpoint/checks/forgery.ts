import type { Defaulted } from '../../report/run-checks.ts'
import type { EndpointCheck } from '../check.ts'
import type { Examination } from '../examination.ts'
import { type Attempt, describeAttempts, isRefused, judgeForged, sendEach } from '../judge.ts'
import { decodeKey, signDelivery } from '../payloads.ts'
import { isAccepted, type OutgoingRequest } from '../send.ts'
import { replaceToken } from '../url-token.ts'

/** Builds a genuine delivery, as the basis of a forgery. Its signature is in base64, without the version prefix. */
export const readGenuine = async (examination: Examination) => {
  const signed = await examination.sign(await examination.prepare())
  const { id } = signed.delivery
  const key = decodeKey(examination.secret ?? '')
  return { ...signed, id, key, signature: signDelivery(key, { ...signed, id }) }
}

type Genuine = Awaited<ReturnType<typeof readGenuine>>

export type Forgery = (genuine: Genuine, examination: Examination) => Partial<OutgoingRequest>

export type ForgedChecks = Readonly<Record<string, Defaulted<EndpointCheck, 'severity' | 'clause'>>>

export const withHeader =
  (name: string, write: (genuine: Genuine, examination: Examination) => string): Forgery =>
  (genuine, examination) => ({ headers: { ...genuine.headers, [name]: write(genuine, examination) } })

export const without =
  (...names: readonly string[]): Forgery =>
  ({ headers }) => ({
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))),
  })

export const sendForgeries = (
  examination: Examination,
  forgeries: Readonly<Record<string, Forgery>>,
): Promise<Attempt[]> =>
  sendEach(forgeries, async (forge) => {
    const genuine = await readGenuine(examination)
    const { headers, body, delivery } = genuine
    const forged = { headers, body, ...forge(genuine, examination) }
    return { exchange: await examination.sendHostile(forged, delivery.subject), delivery }
  })

/** Adds a parameter that means nothing to a query. */
export const addMeaninglessQuery = (search: string): string => `${search === '' ? '?' : `${search}&`}page=1`

/** The checks that report an endpoint which verifies only requests for its exact URL, by what proves who the sender is. */
export const otherRoutes = {
  signature: 'refuses-forgery-on-other-routes',
  token: 'refuses-missing-token-on-other-routes',
  credentials: 'refuses-missing-credentials-on-other-routes',
} as const

/** Returns which of these checks examines the endpoint of this run. */
export const getOtherRoutes = ({ secret, urlToken }: Examination): string =>
  otherRoutes[secret !== undefined ? 'signature' : urlToken !== undefined ? 'token' : 'credentials']

/** Returns the query of the URL without a token. */
const getBareQuery = ({ url, urlToken }: Examination): string =>
  urlToken === undefined ? url.search : replaceToken(url, urlToken, [])

/**
 * Returns whether all accepted forgeries had a query of their own, and one of them is refused without it, and accepted with any other one.
 * Then the query matters, not what it says.
 */
const isAnyQueryAccepted = async (
  examination: Examination,
  forgeries: Readonly<Record<string, Forgery>>,
  attempts: readonly Attempt[],
): Promise<boolean> => {
  const bare = getBareQuery(examination)
  const accepted = attempts.filter(({ exchange }) => isAccepted(exchange))
  const [first] = accepted
  if (first === undefined) return false
  if (!accepted.every(({ exchange }) => (exchange.request.query ?? examination.url.search) !== bare))
    return false
  const forge = forgeries[first.label]
  const withQuery =
    (query: string): Forgery =>
    (...genuine) => ({ ...forge?.(...genuine), query })
  const [alone, again] = await sendForgeries(examination, {
    'without a query': withQuery(bare),
    'with any query': withQuery(addMeaninglessQuery(bare)),
  })
  return alone !== undefined && isRefused(alone.exchange) && again !== undefined && isAccepted(again.exchange)
}

/**
 * Creates a check whose forgeries must all be refused. The first one, or the first `plain` ones, are plain forms of the mistake: unless
 * one of them is accepted, a failure is partial.
 */
export const refuse = (
  forgeries: Readonly<Record<string, Forgery>>,
  plain = 1,
): Pick<EndpointCheck, 'expected' | 'requests' | 'run'> => ({
  expected: '4xx',
  requests: Object.keys(forgeries).length,
  run: async (examination) => {
    const attempts = await sendForgeries(examination, forgeries)
    const finding = await judgeForged(examination, attempts)
    const isPartial = !attempts.slice(0, plain).some(({ exchange }) => isAccepted(exchange))
    // What was refused shows the author which part of the verification works.
    const refused = finding.verdict === 'fail' ? attempts.filter(({ exchange }) => isRefused(exchange)) : []
    if (await isAnyQueryAccepted(examination, forgeries, attempts)) {
      examination.knowledge.acceptsAnyQuery = true
      return { ...finding, because: getOtherRoutes(examination) }
    }
    const observed = [finding.observed, ...(refused.length > 0 ? [describeAttempts(refused)] : [])].join('; ')
    return { ...finding, observed, isPartial }
  },
})
