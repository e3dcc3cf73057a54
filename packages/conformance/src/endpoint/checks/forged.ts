import { setDefaults } from '../../report/run-checks.ts'
import type { EndpointChecks } from '../check.ts'
import { describeAttempts, explainLackOfEffects, refusesWithoutFailing } from '../judge.ts'
import { type Exchange, isAccepted, isShielded } from '../send.ts'
import { credentialChecks, withoutCredentials } from './forged-credentials.ts'
import { scheme, signatureChecks, signedByStranger } from './forged-signatures.ts'
import { tokenChecks, withoutToken } from './forged-tokens.ts'
import { type Forgery, readGenuine } from './forgery.ts'

/** Sends a forgery with the identity of a genuine delivery: its webhook-id or, if nothing is signed, its body. */
const claimFirst: (...forged: Parameters<Forgery>) => Promise<Exchange> = (genuine, examination) => {
  if (examination.secret === undefined) {
    const { headers, body } = genuine
    const forge = examination.urlToken === undefined ? withoutCredentials : withoutToken
    return examination.send({ headers, body, ...forge(genuine, examination) })
  }
  const { body, subject } = examination.build('CALL_AI_SUMMARY')
  const forged = { body, ...signedByStranger({ ...genuine, body }, examination) }
  return examination.sendHostile(forged, subject)
}

/** Checks that imitate a sender without the secret. */
export const forgedChecks: EndpointChecks = {
  [refusesWithoutFailing]: {
    title: 'Refuses forgeries with 4xx instead of failing',
    severity: 'medium',
    clause: 'RFC 9110, section 15.6: 5xx means that the server is at fault',
    expected: 'no 5xx to a forgery',
    risk: 'An exception replaces the refusal: strangers fill the log with errors, and an alarm for 5xx rings for them.',
    fix: 'Catch errors from the verification, such as those of a comparison of different lengths, and respond 401.',
    runsLast: true,
    run: ({ knowledge: { failedForgeries, refusesForgery } }) =>
      failedForgeries.length === 0
        ? { verdict: 'pass', observed: 'no 5xx to a forgery, unless its check failed' }
        : { verdict: 'fail', observed: describeAttempts(failedForgeries), isPartial: refusesForgery },
  },
  ...setDefaults(signatureChecks, {
    severity: 'critical',
    clause: scheme,
    needs: ['signature'],
    follows: 'refuses-wrong-secret',
  }),
  'survives-forged-claim': {
    title: 'Handles a genuine delivery even if a forgery used its id or its body first',
    severity: 'critical',
    clause: 'docs/is-my-webhook-endpoint-safe.md: verify before everything else',
    expected: 'the forgery refused, the genuine delivery handled',
    risk: 'An attacker who guesses ids makes genuine events look like duplicates: they get a 2xx, and are dropped.',
    fix: 'Verify the delivery before you look up or store its id.',
    requests: 2,
    follows: 'refuses-wrong-secret',
    run: async (examination) => {
      const genuine = await readGenuine(examination)
      const forgery = await claimFirst(genuine, examination)
      const exchange = await examination.deliver(genuine.delivery)
      const responses = `${forgery.status ?? 'no response'} to the forgery, ${exchange.status ?? 'no response'} to the genuine delivery`
      if (isShielded(exchange)) return { verdict: 'inconclusive', observed: responses }
      if (!isAccepted(exchange)) {
        return {
          verdict: 'fail',
          observed:
            forgery.status === exchange.status
              ? `${forgery.status} to the forgery, and the same to the genuine delivery`
              : responses,
          risk: 'An attacker who guesses ids has genuine deliveries refused, however often the sender repeats them.',
          fix: 'Verify the delivery before you look up or store its id, and keep no response to one that you refuse.',
        }
      }
      if (examination.knowledge.effectName === undefined) {
        const observed = `${responses}; ${explainLackOfEffects(examination)}`
        return { verdict: 'inconclusive', observed }
      }
      const isHandled = await examination.isHandled(genuine.delivery)
      const observed = `${responses}, which ${isHandled ? 'was handled' : 'had no effect'}`
      return { verdict: isHandled ? 'pass' : 'fail', observed }
    },
  },
  ...setDefaults(tokenChecks, {
    severity: 'critical',
    clause: 'RFC 9110, section 15.5.2; decision 0061',
    needs: ['url-token'],
    follows: 'refuses-wrong-token',
  }),
  ...setDefaults(credentialChecks, {
    severity: 'critical',
    clause: 'RFC 9110, section 15.5.2; decision 0018',
    needs: ['credentials'],
    follows: 'refuses-wrong-credentials',
  }),
}
