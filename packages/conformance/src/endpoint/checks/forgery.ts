import type { Defaulted } from '../../report/run-checks.ts'
import type { EndpointCheck } from '../check.ts'
import type { Examination } from '../examination.ts'
import { type Attempt, describeAttempts, isRefused, judgeForged, sendEach } from '../judge.ts'
import { decodeKey, signDelivery } from '../payloads.ts'
import { isAccepted, type OutgoingRequest } from '../send.ts'

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

/** The check that reports an endpoint which verifies only requests for its exact URL. */
export const refusesOnOtherRoutes = 'refuses-forgery-on-other-routes'

/**
 * Returns whether all accepted forgeries had a query of their own, and one of them is accepted with any other query, too. Then the query
 * matters, not what it says.
 */
const isAnyQueryAccepted = async (
  examination: Examination,
  forgeries: Readonly<Record<string, Forgery>>,
  attempts: readonly Attempt[],
): Promise<boolean> => {
  const { search } = examination.url
  const accepted = attempts.filter(({ exchange }) => isAccepted(exchange))
  const [first] = accepted
  if (first === undefined || examination.urlToken !== undefined) return false
  if (!accepted.every(({ exchange }) => (exchange.request.query ?? search) !== search)) return false
  const [again] = await sendForgeries(examination, {
    [first.label]: (...genuine) => ({
      ...forgeries[first.label]?.(...genuine),
      query: addMeaninglessQuery(search),
    }),
  })
  return again !== undefined && isAccepted(again.exchange)
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
      return { ...finding, because: refusesOnOtherRoutes }
    }
    const observed = [finding.observed, ...(refused.length > 0 ? [describeAttempts(refused)] : [])].join('; ')
    return { ...finding, observed, isPartial }
  },
})
