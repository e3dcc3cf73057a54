/** What a live service sends with each webhook, instead of a signature, because its subscriber registered it. */
export type WebhookAuth =
  /** A static header. */
  | { readonly header: string; readonly value: string }
  /** `Authorization: Bearer <token>`. */
  | { readonly token: string }
  /** HTTP Basic. `encoded: false` sends `Basic user:password` as registered, without Base64. */
  | { readonly username: string; readonly password: string; readonly encoded?: boolean | undefined }

/** Differences between live services, or between the situations of one. */
export type LiveSettings = {
  /** Group events state their name; `false` for the older published form, without `event`. @default true */
  readonly groupEventNames?: boolean | undefined
  /** Fields of group events that are null, as while the network has not confirmed the group. @default none */
  readonly nullFields?: readonly ('groupId' | 'groupName' | 'inviteLink')[] | undefined
  /** The organization has PSTN calling; `false`: the summary endpoint responds with 403 to every request. @default true */
  readonly pstnCalling?: boolean | undefined
  /** A webhook whose response does not arrive in time is repeated once. @default false */
  readonly retryOnTimeout?: boolean | undefined
}

/** Returns the name and value of the header that carries the credentials. */
export const toAuthHeader = (auth: WebhookAuth): readonly [name: string, value: string] => {
  if ('header' in auth) return [auth.header, auth.value]
  if ('token' in auth) return ['authorization', `Bearer ${auth.token}`]
  const { username, password, encoded = true } = auth
  const credentials = `${username}:${password}`
  const bytes = new TextEncoder().encode(credentials)
  return ['authorization', `Basic ${encoded ? btoa(String.fromCharCode(...bytes)) : credentials}`]
}
