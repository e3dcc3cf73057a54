import * as z from 'zod/mini'
import { encodeBase64 } from '../subscriptions/subscription-headers.ts'

/**
 * The credentials that a live service sends with each webhook instead of a signature, as its subscriber registered
 * them.
 */
export type WebhookAuth =
  /** A static header. */
  | { readonly header: string; readonly value: string }
  /** `Authorization: Bearer <token>`. */
  | { readonly token: string }
  /** A parameter of the URL, by default `token`, which arrives even if credentials are dropped. */
  | { readonly urlToken: string; readonly parameter?: string | undefined }
  /** HTTP Basic. `encoded: false` sends `Basic user:password` as registered, without Base64. */
  | { readonly username: string; readonly password: string; readonly encoded?: boolean | undefined }

/** Differences between live services, or between states of one. */
export const LiveSettings = z.strictObject({
  /** Group events contain their name in `event`. `false`: they do not, as once published. @default true */
  groupEventNames: z.optional(z.boolean()),
  /** Fields of group events that are null, as before the network confirms the group. @default none */
  nullFields: z.optional(z.readonly(z.array(z.enum(['groupId', 'groupName', 'inviteLink'])))),
  /**
   * The organization has PSTN calling; `false`: the summary endpoint responds with 403 to every request with a key.
   * @default true
   */
  pstnCalling: z.optional(z.boolean()),
  /**
   * The service accepts the headers and credentials of a registration, but sends webhooks without them. Credentials in
   * the URL still arrive.
   * @default false
   */
  dropCredentials: z.optional(z.boolean()),
  /** A webhook whose response does not arrive in time is repeated once. @default false */
  retryOnTimeout: z.optional(z.boolean()),
})
export type LiveSettings = z.infer<typeof LiveSettings>

/** Returns the name and value of the header that carries the credentials, if they are in one. */
export const toAuthHeader = (auth: WebhookAuth): readonly [name?: string, value?: string] => {
  if ('urlToken' in auth) return []
  if ('header' in auth) return [auth.header, auth.value]
  if ('token' in auth) return ['authorization', `Bearer ${auth.token}`]
  const { username, password, encoded = true } = auth
  const credentials = `${username}:${password}`
  return ['authorization', `Basic ${encoded ? encodeBase64(credentials) : credentials}`]
}
