import type { EndpointCheck } from '../check.ts'
import { type Attempt, describeAttempts, explainLackOfEffects, judgeFailed, judgeRefused } from '../judge.ts'
import { isAccepted, isLimited } from '../send.ts'
import { type Forgery, sendForgeries } from './forgery.ts'

type Route = (pathname: string) => { readonly method?: string; readonly path?: string }

/** Variants of a request that a router may pass to the same handler, past the code that verifies the usual ones. */
const routes: Readonly<Record<string, Route>> = {
  'a PUT': () => ({ method: 'PUT' }),
  'a PATCH': () => ({ method: 'PATCH' }),
  'a slash after the path': (pathname) => ({ path: `${pathname.replace(/\/$/, '')}/` }),
  'two slashes before the path': (pathname) => ({ path: `/${pathname}` }),
  'the path in capitals': (pathname) => ({ path: pathname.toUpperCase() }),
  'an encoded letter in the path': (pathname) => ({
    path: pathname.replace(/[a-z](?=[^a-z]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  }),
}

/** Creates a check that sends a forgery with other methods, and to other spellings of the path. */
export const refuseOnOtherRoutes = (
  forge: Forgery,
): Pick<EndpointCheck, 'expected' | 'requests' | 'fix' | 'run'> => {
  const forgeries = Object.fromEntries(
    Object.entries(routes).map(([label, route]): [string, Forgery] => [
      label,
      (genuine, examination) => ({ ...forge(genuine, examination), ...route(examination.url.pathname) }),
    ]),
  )
  return {
    expected: 'any status but 2xx',
    requests: Object.keys(forgeries).length,
    fix: 'Verify in the handler itself, or in front of every method and path that reaches it.',
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
      return judged.length > 0 ? judgeRefused(examination, judged) : judgeFailed(examination, attempts)
    },
  }
}
