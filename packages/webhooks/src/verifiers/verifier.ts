import type { SignatureHeaders } from './signature-headers.ts'

/** A delivery whose sender is not known yet. */
export type UnverifiedDelivery = {
  /** The request's headers. */
  readonly headers: Headers
  /** The bytes of the body exactly as they arrived, or of its serialization if a verifier `ignoresBody`. */
  readonly body: Uint8Array
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
}

/**
 * Decides whether a delivery comes from the expected sender. To accept it, a verifier returns the id and the
 * time that it has checked or, if it checks neither, `true`. Any other result, and any error, rejects the
 * delivery. A verifier can be synchronous or asynchronous.
 *
 * @example
 * const verify: Verifier = Object.assign(
 *   ({ headers }) => equalsInConstantTime(headers.get('x-token') ?? '', token),
 *   { ignoresBody: true },
 * )
 */
export type Verifier = {
  (delivery: UnverifiedDelivery): boolean | VerifiedDelivery | Promise<boolean | VerifiedDelivery>
  /**
   * Rejects by throwing, before the body is read. Receivers pass its result to the verifier as `signature`.
   *
   * @throws any error, which is passed to `onError`.
   */
  readonly checkHeaders?: (
    headers: Headers,
    now?: () => number,
  ) => SignatureHeaders | undefined | Promise<SignatureHeaders | undefined>
  /**
   * Set if the verifier does not look at the body. Then a body that the framework has parsed is accepted.
   * @default false
   */
  readonly ignoresBody?: boolean
}

/**
 * Accepts every delivery from anyone. Use it only in tests, or in a network where only trusted senders can
 * reach the endpoint.
 *
 * @example
 * const verify = unsigned()
 */
export const unsigned = (): Verifier => Object.assign(() => true, { ignoresBody: true })
