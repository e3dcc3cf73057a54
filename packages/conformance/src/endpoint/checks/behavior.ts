import type { Finding } from '../../report/run-checks.ts'
import type { EndpointChecks } from '../check.ts'
import { explainShield, judgeAccepted, refusesWithoutFailing } from '../judge.ts'
import { findLeaks } from '../leaks.ts'
import { type Exchange, isAccepted, isShielded } from '../send.ts'

/** Patterns of stack traces and source file paths in common languages. */
const stackPatterns: readonly RegExp[] = [
  /^\s*at .+[:(].+:\d+/,
  /\bat .+\.[cm]?[jt]sx?:\d+:\d+/,
  /Traceback \(most recent call last\)/,
  /^\s*File ".+", line \d+/,
  /\.(?:java|kt|scala):\d+\)/,
  /\.(?:go|rb|php|rs|py):\d+/,
  /\bnode_modules[/\\]/,
  /goroutine \d+ \[/,
  /in (?:<b>)?\/\S+\.php/,
]

/** Long enough for a line of a stack trace. The patterns backtrack: on a line of 64 KiB, one can take half a minute. */
const maxLineLength = 500

export const findStack = ({ body, headers }: Exchange): string | undefined => {
  const text = [body, ...Object.values(headers)].join('\n').replaceAll('\\n', '\n').replaceAll('<br>', '\n')
  for (const line of text.split('\n')) {
    const match = stackPatterns
      .map((pattern) => pattern.exec(line.slice(0, maxLineLength))?.[0])
      .find(Boolean)
    if (match !== undefined) return match
  }
  return undefined
}

/** Judges responses in which nothing was found. Error messages tell the most, so without one nothing is proven. */
const judgeHarmless = (exchanges: readonly Exchange[]): Finding =>
  exchanges.some(({ status = 0 }) => status >= 400)
    ? { verdict: 'pass', observed: `nothing in ${exchanges.length} responses` }
    : {
        verdict: 'inconclusive',
        observed: 'no request was refused, so there was no error response to examine',
      }

export const behaviorChecks: EndpointChecks = {
  'refuses-get': {
    title: 'Refuses GET',
    severity: 'low',
    clause: 'RFC 9110, section 15.5.6: 405',
    expected: '405 or another 4xx, or 501',
    risk: 'A link in an e-mail, a crawler or a prefetch calls the endpoint.',
    fix: 'Route only POST, and respond 405 to other methods.',
    requests: 1,
    run: async ({ send }) => {
      const exchange = await send({ method: 'GET', headers: {} })
      const { status = 0 } = exchange
      const observed = `${status} to GET`
      if (isAccepted(exchange)) return { verdict: 'fail', observed }
      // RFC 9110, section 15.6.2: a server that does not know a method responds 501, as Python's http.server does.
      if (status === 501) return { verdict: 'pass', observed }
      if (status >= 500 && !isShielded(exchange))
        return { verdict: 'fail', observed, because: refusesWithoutFailing }
      const reason = explainShield([exchange])
      if (reason !== undefined) return { verdict: 'inconclusive', observed: `${status} to GET; ${reason}` }
      if (status >= 400) return { verdict: 'pass', observed: String(status) }
      return { verdict: 'inconclusive', observed: exchange.error ?? `${status} to GET` }
    },
  },
  'handles-nothing-it-refuses': {
    title: 'Does nothing with a delivery that it refuses',
    severity: 'critical',
    clause: 'docs/is-my-webhook-endpoint-safe.md: verify before everything else',
    expected: 'no effect of any refused delivery',
    risk: 'The response is 401, but the forgery has been handled.',
    fix: 'Verify before you parse, store or publish anything, and return when it fails.',
    needs: ['effects'],
    run: async ({ knowledge, build, countEffects }) => {
      const subjects = [...knowledge.refusedSubjects]
      if (subjects.length === 0) return { verdict: 'inconclusive', observed: 'no delivery was refused' }
      const deliveries = subjects.map((subject) => ({ ...build('CALL_AI_SUMMARY'), subject }))
      const counts = await countEffects(deliveries, 0)
      const handled = counts.filter((count) => count > 0).length
      const observed = `${handled} of ${subjects.length} refused deliveries had an effect`
      return { verdict: handled > 0 ? 'fail' : 'pass', observed }
    },
  },
  'keeps-secrets-out-of-answers': {
    title: 'Keeps secrets out of its responses',
    severity: 'critical',
    clause: 'CWE-209, sensitive information in an error message',
    expected: 'no secret, and no signature that the sender did not know',
    risk: 'The response to one forged request reveals how to make the next one genuine.',
    fix: 'Respond that the signature does not match, but never what it should have been.',
    runsAnyway: true,
    run: ({ knowledge: { exchanges }, ...settings }) => {
      const leaks = new Set(exchanges.flatMap((exchange) => findLeaks(exchange, settings)))
      return leaks.size > 0 ? { verdict: 'fail', observed: [...leaks].join('; ') } : judgeHarmless(exchanges)
    },
  },
  'keeps-stacks-out-of-answers': {
    title: 'Keeps stack traces out of its responses',
    severity: 'medium',
    clause: 'CWE-209, sensitive information in an error message',
    expected: 'no stack trace, and no path of a source file',
    risk: 'Paths, versions and function names show an attacker where to look.',
    fix: 'Log errors, and respond with your own message. (Express: NODE_ENV=production.)',
    runsAnyway: true,
    run: ({ knowledge: { exchanges } }) => {
      const found = exchanges.map(findStack).find((stack) => stack !== undefined)
      return found === undefined
        ? judgeHarmless(exchanges)
        : { verdict: 'fail', observed: found.trim().slice(0, 120) }
    },
  },
  'does-not-redirect': {
    title: 'Does not redirect',
    severity: 'medium',
    clause: 'decision 0019: senders do not follow redirects',
    expected: 'no 3xx',
    risk: 'No event arrives. A sender that followed could send the body, and the secret header, to another host.',
    fix: 'Register the final URL: with https, the right host, and the trailing slash that your framework expects.',
    runsAnyway: true,
    run: ({ knowledge: { controls } }) => {
      const redirect = controls.find(({ status = 0 }) => status >= 300 && status < 400)
      if (controls.length === 0) return { verdict: 'inconclusive', observed: 'no genuine delivery was sent' }
      if (redirect === undefined) return { verdict: 'pass', observed: 'no redirect' }
      const { status, headers } = redirect
      return { verdict: 'fail', observed: `${status} to ${headers.location ?? 'nowhere'}` }
    },
  },
  'recovers-after-attacks': {
    title: 'Accepts a genuine delivery after all attacks',
    severity: 'critical',
    clause: 'the positive control, once more',
    expected: '2xx',
    risk: 'An attack that seemed harmless has stopped the endpoint.',
    fix: "Look in the endpoint's log for the request after which it stopped.",
    requests: 1,
    runsAnyway: true,
    run: async (examination) => {
      if (!examination.knowledge.acceptsGenuine) {
        return { verdict: 'inconclusive', observed: examination.knowledge.controlProblem }
      }
      if (await examination.isAlive()) return { verdict: 'pass', observed: 'accepted' }
      const last = examination.exchanges.at(-1)
      if (last === undefined) return { verdict: 'inconclusive', observed: 'nothing was sent' }
      const finding = judgeAccepted([{ label: 'a genuine delivery', exchange: last }])
      return { ...finding, because: examination.knowledge.downSince }
    },
  },
}
