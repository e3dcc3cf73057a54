import type { SignatureHeaders } from './signature-headers.ts'

/** A delivery whose sender is not known yet. */
export type UnverifiedDelivery = {
  /** The request's headers. */
  readonly headers: Headers
  /** The bytes of the body exactly as they arrived, unless `bodyWasParsed`. */
  readonly body: Uint8Array
  /**
   * Set if a framework parsed the body, so that `body` is its serialization. Only a verifier that `ignoresBody` is called
   * then.
   */
  readonly bodyWasParsed?: boolean | undefined
  /** The request's URL. */
  readonly url: string
  /** The value that the verifier's `checkHeaders` returned, so that headers are parsed once. */
  readonly signature?: SignatureHeaders | undefined
  /**
   * The receiver's clock, if its options contain one. The clock determines when secrets from a function are read again.
   */
  readonly now?: (() => number) | undefined
}

/** The values that a verifier vouches for, in addition to the body. */
export type VerifiedDelivery = {
  /** The id of the delivery, which is the same on every attempt. */
  readonly id: string
  /** When the sender signed this attempt. */
  readonly sentAt: Date
  /** The schemes that accepted the delivery, if there may be several. */
  readonly verifiedBy?: readonly string[]
}

/**
 * The result of {@link anyOf}. Its id and time are those that a verifier vouches for. If none does and no verifier needs the
 * body, they are read from the headers without verification.
 */
export type VerifiedByAny = {
  /** The id of the delivery, if known. */
  readonly id?: string | undefined
  /** When the sender sent this attempt, if known. */
  readonly sentAt?: Date | undefined
  /** The schemes that accepted the delivery, at least one. */
  readonly verifiedBy: readonly string[]
}

type Verdict = boolean | VerifiedDelivery | VerifiedByAny

/**
 * Decides whether a delivery comes from the expected sender. To accept it, a verifier returns the id and the
 * time that it has checked or, if it checks neither, `true`; {@link anyOf} returns the schemes that accepted it. Any other
 * result, and any error, rejects the delivery. A verifier can be synchronous or asynchronous.
 *
 * @example
 * const verify: Verifier = Object.assign(
 *   ({ headers }) => equalsInConstantTime(headers.get('x-token') ?? '', token),
 *   { ignoresBody: true },
 * )
 */
export type Verifier = {
  (delivery: UnverifiedDelivery): Verdict | Promise<Verdict>
  /**
   * Checks the headers and the URL without waiting for the body. Throws to reject the delivery. Receivers pass the result to
   * the verifier as `signature`.
   *
   * @throws any error, which is passed to `onError`.
   */
  readonly checkHeaders?: (
    headers: Headers,
    now?: () => number,
    url?: string,
  ) => SignatureHeaders | undefined | Promise<SignatureHeaders | undefined>
  /**
   * Set if the verifier does not look at the body. Then a body that the framework has parsed is accepted.
   * @default false
   */
  readonly ignoresBody?: boolean
  /**
   * The name in `context.verifiedBy`.
   * @default 'function'
   */
  readonly scheme?: string
}

/**
 * Accepts every delivery from anyone. Use it only in tests, or in a network where only trusted senders can
 * reach the endpoint.
 *
 * @example
 * const verify = unsigned()
 */
export const unsigned = (): Verifier => Object.assign(() => true, { ignoresBody: true, scheme: 'unsigned' })
