import {
  isWebhookRequestError,
  isWebhookVerificationError,
  type VerifierRefusal,
  WebhookRequestError,
  WebhookUsageError,
  WebhookVerificationError,
} from '../errors.ts'
import { readUnsignedHeaders } from './signature-headers.ts'
import { readVerdict, toScheme } from './verdict.ts'
import type { UnverifiedDelivery, VerifiedByAny, Verifier } from './verifier.ts'
import { apply, isPromise } from './verify-signature.ts'

type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: unknown }

const settle = <Value>(call: () => Value | Promise<Value>): Outcome<Value> | Promise<Outcome<Value>> => {
  const accept = (value: Value): Outcome<Value> => ({ ok: true, value })
  const refuse = (error: unknown): Outcome<Value> => ({ ok: false, error })
  try {
    const value = call()
    return isPromise(value) ? value.then(accept, refuse) : accept(value)
  } catch (error) {
    return refuse(error)
  }
}

/**
 * Returns a promise only if one of the values is a promise. While the receiver waits for a promise, it already reads the body
 * of a sender whose headers it has not checked.
 */
const all = <Value>(values: readonly (Value | Promise<Value>)[]): readonly Value[] | Promise<Value[]> => {
  const settled = values.filter((value) => !isPromise(value)) as Value[]
  return settled.length === values.length ? settled : Promise.all(values)
}

const toRefusals = (error: unknown, scheme: string): readonly VerifierRefusal[] => {
  if (isWebhookVerificationError(error)) {
    const { reason, message, header, skewSeconds } = error
    return error.refusals ?? [{ scheme, reason, message, header, skewSeconds }]
  }
  if (!isWebhookRequestError(error))
    return [{ scheme, reason: 'not_verified', message: 'The verify function threw.' }]
  const reason = error.code === 'body_was_parsed' ? error.code : 'not_verified'
  return [{ scheme, reason, message: error.message }]
}

/**
 * Combines the errors of all verifiers. One of them decides the response: an invalid secret, because the sender may be
 * authentic and should retry; otherwise the first one whose credentials were present, or else the first.
 */
const combine = (verifiers: readonly Verifier[], errors: readonly unknown[]): WebhookVerificationError => {
  const refusals = verifiers.flatMap((verify, index) => toRefusals(errors[index], toScheme(verify)))
  const leader =
    refusals.find(({ reason }) => reason === 'invalid_secret') ??
    refusals.find(({ reason }) => !reason.startsWith('missing_')) ??
    refusals[0]
  const error = new WebhookVerificationError(
    leader?.reason ?? 'not_verified',
    refusals.map(({ scheme, message }) => `${scheme}: ${message}`).join(' '),
    { ...leader, cause: new AggregateError(errors) },
  )
  return Object.assign(error, { refusals })
}

/** Calls one verifier, unless it needs the bytes of a body that a framework has parsed. */
const verifyOne = (verify: Verifier, delivery: UnverifiedDelivery) => {
  const { headers, now, url, bodyWasParsed } = delivery
  if (!bodyWasParsed || verify.ignoresBody) {
    return apply(
      verify(delivery),
      (verdict): VerifiedByAny => ({
        verifiedBy: [toScheme(verify)],
        ...(verdict !== true && readVerdict(verdict, headers)),
      }),
    )
  }
  return apply(verify.checkHeaders?.(headers, now, url), (): VerifiedByAny => {
    throw new WebhookRequestError('body_was_parsed', 'Other code has read the body.')
  })
}

/** The verifiers of each `anyOf()`, so that another one can contain it. */
const parts = /* @__PURE__ */ new WeakMap<Verifier, readonly Verifier[]>()

/**
 * Accepts deliveries that at least one of the verifiers accepts completely. All of them are tried, and
 * `context.verifiedBy` lists those that accepted the delivery, so that you see when the old way is unused. If one of them
 * vouches for an id, as a signature does, that id and its time count. Otherwise they are those of the headers, or absent if a
 * verifier needs the body, because anyone could then choose them. If a framework has parsed the body, only verifiers that do
 * not need its bytes are tried.
 *
 * @throws WebhookUsageError without verifiers, or for `unsigned()`, which would accept everything.
 * @example
 * const verify = anyOf(urlToken({ token: process.env.WEBHOOK_TOKEN ?? '' }), bearerAuth({ token: oldToken }))
 */
export const anyOf = (...given: readonly Verifier[]): Verifier => {
  if (given.length === 0 || !given.every((verify) => typeof verify === 'function'))
    throw new WebhookUsageError('anyOf() needs verifiers, such as anyOf(urlToken(…), bearerAuth(…)).')
  const verifiers = given.flatMap((verify) => parts.get(verify) ?? [verify])
  if (verifiers.some(({ scheme }) => scheme === 'unsigned'))
    throw new WebhookUsageError('anyOf() cannot contain unsigned(), which accepts everything.')
  // If a verifier needs the body, only the id that it vouches for can be trusted, and not the one in the headers.
  const ignoreBody = verifiers.every(({ ignoresBody }) => ignoresBody)

  const settleAll = <Value>(call: (verify: Verifier) => Value | Promise<Value>) =>
    apply(all(verifiers.map((verify) => settle(() => call(verify)))), (outcomes): readonly Value[] => {
      const accepted = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []))
      if (accepted.length > 0) return accepted
      throw combine(
        verifiers,
        outcomes.map((outcome) => !outcome.ok && outcome.error),
      )
    })

  const verify: Verifier = (delivery) =>
    apply(
      settleAll((each) => verifyOne(each, delivery)),
      (verdicts): VerifiedByAny => {
        const signed = verdicts.find(({ id }) => id !== undefined)
        const untrusted = ignoreBody ? readUnsignedHeaders(delivery.headers) : {}
        return { ...(signed ?? untrusted), verifiedBy: verdicts.flatMap(({ verifiedBy }) => verifiedBy) }
      },
    )
  const any = Object.assign(verify, {
    checkHeaders: (headers: Headers, now?: () => number, url?: string) =>
      apply(
        settleAll((each) => each.checkHeaders?.(headers, now, url)),
        () => undefined,
      ),
    ignoresBody: verifiers.some(({ ignoresBody }) => ignoresBody),
  })
  parts.set(any, verifiers)
  return any
}
