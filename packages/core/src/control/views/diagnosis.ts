import * as z from 'zod/mini'
import { type FailureCause, findFailureCause } from '../../figures/failure-cause.ts'
import type { AttemptRecord, DeliveryStatus } from '../../index.ts'
import { named } from '../schemas.ts'

const causes = {
  wrong_secret: {
    text: 'The endpoint found no valid signature.',
    remedy: 'Give the receiver the secret of this subscription; if it is lost, rotate the secret.',
  },
  timestamp: {
    text: "The timestamp was too far from the endpoint's clock.",
    remedy: 'Compare the clocks of both machines. Each attempt has a new timestamp.',
  },
  authorization: {
    text: 'The endpoint did not accept the authorization.',
    remedy: "Set the subscription's authorization to what the endpoint or its gateway expects.",
  },
  not_found: {
    text: 'Nothing at the URL accepts POST requests.',
    remedy: "Compare the URL's path with the receiver's route.",
  },
  redirect: {
    text: 'The endpoint redirected the webhook. Redirects are not followed.',
    remedy: "Set the subscription's URL to the final address.",
  },
  gone: {
    text: 'The endpoint is gone (410), which disabled the subscription.',
    remedy: 'Enable the subscription if that was a mistake.',
  },
  rate_limited: {
    text: 'The endpoint gets more requests than it accepts.',
    remedy: 'Raise its limit, or set maxAttemptsPerSecond of the subscription.',
  },
  server_error: {
    text: 'The endpoint failed while it handled the webhook.',
    remedy: "Check the receiver's log at the time of the attempt.",
  },
  rejected: {
    text: 'The endpoint rejected the webhook.',
    remedy: 'See the response for the reason.',
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
  custom_payload: {
    text: 'A caller chose the payload of this event, so only endpoints on loopback addresses can get it.',
    remedy: 'Publish it to a loopback URL, or start the server with --sandbox.',
  },
  connection: {
    text: 'The endpoint could not be reached.',
    remedy: 'Check that the receiver is running and listening at the URL.',
  },
} as const satisfies Record<FailureCause, { readonly text: string; readonly remedy: string }>

/** How a delivery is sent again after the remedy, by its status. */
const lastSteps: Readonly<Record<DeliveryStatus, string>> = {
  waiting: '',
  pending: ' Then retry.',
  attempting: '',
  delivered: '',
  exhausted: ' Then resend.',
  skipped: ' Then resend.',
}

export const DiagnosisView = named(
  'Diagnosis',
  'The likely cause of a failed attempt, and its remedy, which depends on the status of the delivery.',
  z.object({
    cause: z.enum(Object.keys(causes) as [FailureCause, ...FailureCause[]]),
    text: z.string(),
    remedy: z.string(),
  }),
)

type Diagnosis = z.infer<typeof DiagnosisView>

/** Returns all causes. */
export const listCauses = (): readonly FailureCause[] => DiagnosisView.shape.cause.options

const explain = (cause: FailureCause, lastStep: string): Diagnosis => {
  const { text, remedy } = causes[cause]
  // Sending an event with a custom payload again is not enough: the attempt would be refused again.
  return { cause, text, remedy: cause === 'custom_payload' ? remedy : remedy + lastStep }
}

/** Returns a cause with its explanation and remedy, for all deliveries that failed because of it. */
export const explainCause = (cause: FailureCause): Diagnosis =>
  explain(cause, ' Then retry pending deliveries, and resend exhausted ones.')

/** Says in a clause why an attempt failed, in the words of its diagnosis: `the endpoint found no valid signature`. */
export const nameCause = (attempt: AttemptRecord): string => {
  const [sentence = ''] = causes[findFailureCause(attempt)].text.split('.')
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

/** Returns the likely cause of a failed attempt, or `null` if it did not fail. */
export const diagnose = (attempt: AttemptRecord, status: DeliveryStatus): Diagnosis | null =>
  attempt.succeeded || attempt.deferred ? null : explain(findFailureCause(attempt), lastSteps[status])
