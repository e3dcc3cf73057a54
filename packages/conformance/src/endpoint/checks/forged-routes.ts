import type { EndpointCheck } from '../check.ts'
import { type Attempt, describeAttempts, explainLackOfEffects, judgeFailed, judgeRefused } from '../judge.ts'
import { isAccepted, isLimited, type OutgoingRequest } from '../send.ts'
import { addMeaninglessQuery, type Forgery, getOtherRoutes, sendForgeries } from './forgery.ts'

type Route = (url: { readonly pathname: string; readonly search: string }) => Partial<OutgoingRequest>

/** Variants of a request that a router may pass to the same handler, past the code that verifies the usual ones. */
const routes: Readonly<Record<string, Route>> = {
  'a PUT': () => ({ method: 'PUT' }),
  'a PATCH': () => ({ method: 'PATCH' }),
  'a slash after the path': ({ pathname }) => ({ path: `${pathname.replace(/\/$/, '')}/` }),
  'two slashes before the path': ({ pathname }) => ({ path: `/${pathname}` }),
  'the path in capitals': ({ pathname }) => ({ path: pathname.toUpperCase() }),
  'an encoded letter in the path': ({ pathname }) => ({
    path: pathname.replace(/[a-z](?=[^a-z]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  }),
  'a query': ({ search }) => ({ query: addMeaninglessQuery(search) }),
}

/** Creates a check that sends a forgery with other methods, to other spellings of the path, and with a query. */
export const refuseOnOtherRoutes = (
  forge: Forgery,
): Pick<EndpointCheck, 'expected' | 'requests' | 'fix' | 'run'> => {
  const forgeries = Object.fromEntries(
    Object.entries(routes).map(([label, route]): [string, Forgery] => [
      label,
      (genuine, examination) => {
        const forged = forge(genuine, examination)
        const { pathname, search } = examination.url
        return { ...forged, ...route({ pathname, search: forged.query ?? search }) }
      },
    ]),
  )
  return {
    expected: 'any status but 2xx',
    requests: Object.keys(forgeries).length,
    fix: 'Verify in the handler itself, or in front of every method, path and query that reaches it.',
    run: async (examination) => {
      const attempts = await sendForgeries(examination, forgeries)
      const accepted = attempts.filter(({ exchange }) => isAccepted(exchange))
      // Another handler may respond 2xx to whatever it gets.
      if (accepted.length > 0 && examination.knowledge.effectName === undefined) {
        const observed = `${describeAttempts(accepted)}; ${explainLackOfEffects(examination)}`
        return { verdict: 'inconclusive', observed }
      }
      const isJudged = ({ exchange }: Attempt): boolean => (exchange.status ?? 0) < 500 || isLimited(exchange)
      const judged = attempts.filter(isJudged)
      const finding = await (judged.length > 0
        ? judgeRefused(examination, judged)
        : judgeFailed(examination, attempts))
      // Then this check does not follow from those whose forgeries had a query, but explains them.
      return examination.knowledge.acceptsAnyQuery
        ? { ...finding, because: getOtherRoutes(examination) }
        : finding
    },
  }
}
