import { setTimeout as sleep } from 'node:timers/promises'
import type { EndpointChecks } from '../check.ts'
import {
  deliverAtOnce,
  describeAttempts,
  describeResponse,
  explainShield,
  judgeRefused,
  judgeSurvived,
  sendEach,
} from '../judge.ts'
import { formatHead } from '../raw.ts'
import { isAccepted, isFirewalled, isLimited, isShielded } from '../send.ts'
import { deliverAgain } from './deliver-again.ts'

const malformedRequests = [
  'NONSENSE\r\n\r\n',
  'POST http://[ HTTP/1.1\r\nHost: h\r\n\r\n',
  'POST //%ff%00 HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n',
  'POST // HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n',
  'POST /%E0%A4%A HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n',
  'TRACE / HTTP/1.1\r\nHost: h\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: \u0001\r\nContent-Length: -1\r\n\r\n',
  '\u0000\u0001\u0002\r\n\r\n',
]

export const hostileConnectionChecks: EndpointChecks = {
  'survives-slow-body': {
    title: 'Accepts genuine deliveries while other senders send their bodies very slowly',
    severity: 'high',
    clause: 'CWE-400, uncontrolled resource consumption ("slow POST")',
    expected: 'genuine deliveries as before',
    risk: 'A handful of connections that never finish block every genuine delivery.',
    fix: 'Read bodies concurrently, with a time limit of a few seconds.',
    requests: ({ limits }) => limits.slowConnections + 1,
    run: async (examination) => {
      const { url, limits, openAndWrite, sign, build } = examination
      const head = formatHead(url, await sign(build('CALL_AI_SUMMARY')))
      const sockets = await Promise.all(
        Array.from({ length: limits.slowConnections }, () => openAndWrite(Buffer.from(`${head}{`))),
      )
      try {
        const exchange = await examination.deliver(await examination.prepare())
        const observed = `${describeResponse(exchange)}, next to ${sockets.length} bodies that do not end`
        if (isShielded(exchange)) return { verdict: 'inconclusive', observed }
        return { verdict: isAccepted(exchange) ? 'pass' : 'fail', observed }
      } finally {
        for (const socket of sockets) socket.destroy()
        await sleep(20)
      }
    },
  },
  'survives-aborted-body': {
    title: 'Survives a connection that is closed within the body',
    severity: 'high',
    clause: 'RFC 9112, section 8: a body is incomplete if fewer bytes arrive than Content-Length states',
    expected: 'genuine deliveries as before',
    risk: 'An error event without a listener, or an unhandled promise rejection, ends the process.',
    fix: 'Handle errors of the request stream: await its body in a try block.',
    requests: 3,
    run: async (examination) => {
      const { url, openAndWrite, sign, build } = examination
      const signed = await sign(build('CALL_AI_SUMMARY'))
      const { body } = signed
      for (const length of [0, Math.floor(body.length / 2)]) {
        const half = Buffer.concat([Buffer.from(formatHead(url, signed)), body.subarray(0, length)])
        const socket = await openAndWrite(half)
        await sleep(20)
        socket.destroy()
      }
      await sleep(20)
      return judgeSurvived(examination, '2 cut bodies')
    },
  },
  'survives-malformed-request-line': {
    title: 'Survives requests that are invalid or unusual HTTP',
    severity: 'high',
    clause: 'RFC 9112, section 2.2: 400 to what is not HTTP, and the connection closed',
    expected: 'genuine deliveries as before',
    risk: 'One line from a port scanner, such as `POST //%ff`, throws in the URL parser and ends the process.',
    fix: 'Parse the URL in a try block, and respond 400 on errors.',
    requests: malformedRequests.length + 1,
    run: async (examination) => {
      const { limits, sendBytes } = examination
      const waitMs = Math.min(500, limits.recoverMs)
      const heads = await Promise.all(
        malformedRequests.map((request) => sendBytes(Buffer.from(request, 'latin1'), waitMs)),
      )
      const statuses = heads.map((head) => /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 'no response')
      return judgeSurvived(examination, [...new Set(statuses)].join(', '))
    },
  },
  'survives-large-headers': {
    title: 'Survives a header of a hundred kilobytes, and hundreds of signatures',
    severity: 'medium',
    clause: 'RFC 6585, section 5: 431; Standard Webhooks 1.0, "Webhook headers"',
    expected: 'any response but 500 or, if deliveries are signed, 2xx; then genuine deliveries as before',
    risk: 'An endpoint that computes its own signature for each of thousands does thousands of times the work.',
    fix: 'Keep the default limit of your server for headers (16 KiB in Node.js).',
    requests: 3,
    run: async (examination) => {
      const long = { 'a header of 100 kB': 2_100, '200 signatures': 200 }
      const attempts = await sendEach(long, async (count) => {
        const { delivery, headers, body } = await examination.sign(await examination.prepare())
        const wrong = `v1,${examination.random.bytes(32).toString('base64')}`
        const signatures = Array.from({ length: count }, () => wrong).join(' ')
        const request = { headers: { ...headers, 'webhook-signature': signatures }, body }
        const exchange =
          examination.secret === undefined
            ? await examination.send(request)
            : await examination.sendHostile(request, delivery.subject)
        return { exchange, delivery }
      })
      const failed = attempts.filter(({ exchange }) => exchange.status === 500)
      // An endpoint that also failed at a smaller forgery does not fail because of the size.
      if (failed.length > 0 && examination.knowledge.failedForgeries.length === 0) {
        return { verdict: 'fail', observed: describeAttempts(failed) }
      }
      const accepted = attempts.filter(({ exchange }) => isAccepted(exchange))
      if (examination.secret !== undefined && accepted.length > 0) return judgeRefused(examination, accepted)
      return judgeSurvived(examination, describeAttempts(attempts))
    },
  },
  'survives-burst': {
    title: 'Accepts many concurrent deliveries, and handles each',
    severity: 'high',
    clause: 'decision 0019: a sender works through its backlog; 429 and 503 make it wait',
    expected:
      '2xx, 429 or 503 to each, and an effect of each delivery that is accepted, at once or when it is sent again',
    risk: 'After an outage, everything arrives at once: a delivery that is accepted into a full queue is lost for good, and so is one that is remembered, but refused.',
    fix: 'Respond 2xx only when the event is stored; respond 503 with Retry-After when there are too many, and forget their ids.',
    requests: ({ limits }) => limits.burst + 1,
    run: async (examination) => {
      const deliveries = []
      for (let count = 0; count < examination.limits.burst; count += 1) {
        deliveries.push(await examination.prepare())
      }
      const { exchanges, accepted, limited } = await deliverAtOnce(examination, deliveries)
      const wrong = exchanges.filter((exchange) => !isAccepted(exchange) && !isShielded(exchange))
      if (wrong.length > 0) {
        const responses = [...new Set(wrong.map(describeResponse))].join(', ')
        return {
          verdict: 'fail',
          observed: `${responses} to ${wrong.length} of ${deliveries.length}`,
          risk: 'After an outage, everything arrives at once: what gets no 2xx is sent again, and adds to the load.',
          fix: 'Let no request wait for all others: respond before slow work, and respond 503 with Retry-After when there are too many.',
        }
      }
      const observed = `${accepted.length} of ${deliveries.length} accepted`
      const { knowledge } = examination
      if (knowledge.effectName !== undefined) {
        const lost = (await examination.areHandled(accepted)).filter((handled) => !handled).length
        if (lost > 0) {
          const because = knowledge.lossAtOnce
          knowledge.lossAtOnce ??= 'survives-burst'
          return {
            verdict: 'fail',
            observed: `${observed}, ${lost} of them without an effect`,
            because,
            risk: 'After an outage, everything arrives at once: an event that is lost after a 2xx is lost for good.',
            fix: 'Respond 2xx only when the event is stored, and 503 with Retry-After when a queue is full or the database is locked. Keep no event in a variable that requests share.',
          }
        }
        const retried = await deliverAgain(examination, limited)
        const forgotten = await examination.countNeverHandled(retried)
        if (forgotten > 0) {
          const statuses = [...new Set(exchanges.filter(isLimited).map(describeResponse))].join(' or ')
          return {
            verdict: 'fail',
            observed: `${observed}; ${forgotten} refused with ${statuses}, then accepted when they were sent again, but not handled: are they taken for duplicates?`,
            risk: 'A delivery that is refused when there are too many is lost when the sender repeats it.',
            fix: 'Store the webhook-id in the transaction that handles the event, or forget it before you respond 429 or 503.',
          }
        }
      }
      if (exchanges.some(isFirewalled)) {
        return { verdict: 'inconclusive', observed: `${observed}; ${explainShield(exchanges)}` }
      }
      return judgeSurvived(examination, observed)
    },
  },
}
