/** A delivery whose sender is not known yet. */
export type UnverifiedDelivery = {
  /** The request's headers. */
  readonly headers: Headers
  /** The body's bytes exactly as they came. */
  readonly body: Uint8Array
  /** The request's address. */
  readonly url: string
}

/**
 * Decides whether a delivery comes from whom it should. It accepts only by returning (or resolving to) `true`;
 * anything else, and anything thrown, refuses. Any function of this shape will do.
 *
 * @example
 * const verify: Verifier = ({ url }) => new URL(url).searchParams.get('token') === process.env.TOKEN
 */
export type Verifier = {
  (delivery: UnverifiedDelivery): boolean | Promise<boolean>
  /** Refuses by throwing, before the body is read, what the headers alone show to be wrong. */
  readonly checkHeaders?: (headers: Headers) => void
}
