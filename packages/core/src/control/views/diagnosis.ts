import * as z from 'zod/mini'
import type { AttemptRecord } from '../../index.ts'
import { named } from '../schemas.ts'

const causes = {
  wrong_secret: {
    text: 'The endpoint found no valid signature.',
    remedy:
      'Give the receiver the secret of this subscription; if it is lost, rotate the secret. Then resend.',
  },
  timestamp: {
    text: "The timestamp was too far from the endpoint's clock.",
    remedy: 'Compare the clocks of both machines. A resend has a new timestamp.',
  },
  authorization: {
    text: 'The endpoint did not accept the authorization.',
    remedy: "Set the subscription's authorization to what the endpoint or its gateway expects. Then resend.",
  },
  not_found: {
    text: 'Nothing at the URL accepts POST requests.',
    remedy: "Compare the URL's path with the receiver's route. Then resend.",
  },
  redirect: {
    text: 'The endpoint redirected the webhook. Redirects are not followed.',
    remedy: "Set the subscription's URL to the final address. Then resend.",
  },
  gone: {
    text: 'The endpoint is gone (410), which disabled the subscription.',
    remedy: 'Enable the subscription if that was a mistake. Then resend.',
  },
  rate_limited: {
    text: 'The endpoint gets more requests than it accepts.',
    remedy: 'Raise its limit, or set maxAttemptsPerSecond of the subscription. The delivery is retried.',
  },
  server_error: {
    text: 'The endpoint failed while it handled the webhook.',
    remedy: "Check the receiver's log at the time of the attempt. Then resend.",
  },
  rejected: {
    text: 'The endpoint rejected the webhook.',
    remedy: 'See the response for the reason. Then resend.',
  },
  timeout: {
    text: 'There was no complete response in time.',
    remedy: 'Let the receiver respond first and do its work afterwards.',
  },
  dns: {
    text: 'The host name of the URL cannot be resolved.',
    remedy: "Check the host in the subscription's URL.",
  },
  tls: {
    text: 'The connection could not be secured.',
    remedy: "Check the endpoint's certificate: its names, expiry and chain.",
  },
  target_refused: {
    text: 'The server does not send webhooks to this address.',
    remedy: 'Use a public https address, or allow private targets on your own server.',
  },
  forged: {
    text: 'A caller chose the payload of this event, so only endpoints on loopback addresses can get it.',
    remedy: 'Publish it to a loopback URL, or start the server with --mock.',
  },
  connection: {
    text: 'The endpoint could not be reached.',
    remedy: 'Check that the receiver is running and listening at the URL. Then resend.',
  },
} as const

type Cause = keyof typeof causes

export const DiagnosisView = named(
  'Diagnosis',
  'The likely cause of a failed attempt, and its remedy.',
  z.object({
    cause: z.enum(Object.keys(causes) as [Cause, ...Cause[]]),
    text: z.string(),
    remedy: z.string(),
  }),
)

const errorPatterns: readonly (readonly [RegExp, Cause])[] = [
  [/^not sent:/, 'forged'],
  [/refused to connect to/, 'target_refused'],
  [/no complete response|timeout|timed out/i, 'timeout'],
  [/ENOTFOUND|EAI_AGAIN|getaddrinfo/, 'dns'],
  [/certificate|CERT_|TLS|SSL|self.signed/i, 'tls'],
]

const findCauseOfError = (error: string): Cause =>
  errorPatterns.find(([pattern]) => pattern.test(error))?.[1] ?? 'connection'

/** Determines the cause of a refusal from a receiver's response, whether or not the receiver uses this kit. */
const findCauseOfRefusal = (body: string): Cause => {
  if (/timestamp/i.test(body)) return 'timestamp'
  return /signature|secret|hmac/i.test(body) ? 'wrong_secret' : 'authorization'
}

const findCause = ({ status, error, responseBody }: AttemptRecord): Cause => {
  const body = responseBody ?? ''
  if (status === null) return findCauseOfError(error ?? '')
  if (status === 401 || status === 403) return findCauseOfRefusal(body)
  if (status === 400 && /signature|timestamp/i.test(body)) return findCauseOfRefusal(body)
  if (status === 404 || status === 405) return 'not_found'
  if (status === 410) return 'gone'
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'server_error'
  return status >= 300 && status < 400 ? 'redirect' : 'rejected'
}

/** Returns the likely cause of a failed attempt, or `null` if it did not fail. */
export const diagnose = (attempt: AttemptRecord): z.infer<typeof DiagnosisView> | null => {
  if (attempt.succeeded || attempt.deferred) return null
  const cause = findCause(attempt)
  return { cause, ...causes[cause] }
}
