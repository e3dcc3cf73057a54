import type { SignatureHeaders } from '../signature/signature-headers.ts'

/** A delivery whose sender is not known yet. */
export type UnverifiedDelivery = {
  /** The request's headers. */
  readonly headers: Headers
  /** The bytes of the body exactly as they arrived. */
  readonly body: Uint8Array
  /** The request's URL. */
  readonly url: string
  /** The value that the verifier's `checkHeaders` returned, so that headers are parsed once. */
  readonly signature?: SignatureHeaders | undefined
  /** The receiver's clock, if it was given one. Secrets that were read on demand expire by it. */
  readonly now?: (() => number) | undefined
}

/** The values that a verifier vouches for, besides the body. */
export type VerifiedDelivery = {
  /** The id of the delivery: the same on every attempt. */
  readonly id: string
  /** When the sender signed this attempt. */
  readonly sentAt: Date
}

/**
 * Decides whether a delivery comes from the expected sender. A verifier that checks an id and a time accepts by
 * returning both. Any other accepts only by returning `true`. Everything else that it returns or throws rejects the
 * delivery. Any function of this shape will do, synchronous or not.
 *
 * @example
 * const verify: Verifier = ({ url }) => new URL(url).searchParams.get('token') === process.env.TOKEN
 */
export type Verifier = {
  (delivery: UnverifiedDelivery): boolean | VerifiedDelivery | Promise<boolean | VerifiedDelivery>
  /**
   * Rejects by throwing, before the body is read. Receivers pass what it returns, or what its promise resolves to, to the
   * verifier as `signature`.
   *
   * @throws whatever should reach `onError`.
   */
  readonly checkHeaders?: (
    headers: Headers,
    now?: () => number,
  ) => SignatureHeaders | undefined | Promise<SignatureHeaders | undefined>
}

/**
 * Accepts every delivery from anyone. Use it only in tests, or in a network where no stranger can reach the endpoint.
 *
 * @example
 * const verify = unsigned()
 */
export const unsigned = (): Verifier => () => true
