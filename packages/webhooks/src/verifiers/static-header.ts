import { headerVerifier, nonEmptyValues } from './header-verifier.ts'
import type { Verifier } from './verifier.ts'

/** Options of {@link staticHeader}. */
export type StaticHeaderOptions = {
  /** Name of the header, in any case. */
  readonly header: string
  /** The value that it must have; several while it is changed. */
  readonly value: string | readonly string[]
}

/**
 * Accepts deliveries that carry a fixed header, for services that can do no better. Whoever sees one request can send
 * others, and the same one again: use it over https and with `dedupe`.
 *
 * @throws WebhookVerificationError with reason `invalid_secret` when a value is empty.
 * @example
 * const verify = staticHeader({ header: 'x-webhook-token', value: process.env.WEBHOOK_TOKEN ?? '' })
 */
export const staticHeader = ({ header, value }: StaticHeaderOptions): Verifier =>
  headerVerifier({
    header,
    values: nonEmptyValues('value of the header', value).map((each) => each.trim()),
    normalise: (received) => received,
  })
