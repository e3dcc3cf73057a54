/** How a sender can authenticate. */
export const senderKinds = ['url', 'signature', 'header', 'bearer'] as const

export type SenderKind = (typeof senderKinds)[number]

export type Sender = {
  /** The function of `wabakit/webhooks` that verifies the sender. */
  readonly verifier: string
  /** The environment variable with the secret. */
  readonly variable: string
  /** Returns the call of the verifier, given the code that reads the variable. */
  verify(value: string): string
  /** Set if the secret is a token in the query of the URL. */
  readonly isInUrl?: true
  /** The header to send in a test, without a signature. */
  header?(value: string): readonly [name: string, value: string]
}

export const senders: Readonly<Record<SenderKind, Sender>> = {
  url: {
    verifier: 'urlToken',
    variable: 'WEBHOOK_TOKEN',
    verify: (value) => `urlToken({ token: () => ${value} })`,
    isInUrl: true,
  },
  signature: {
    verifier: 'standardWebhooks',
    variable: 'WABAKIT_WEBHOOK_SECRET',
    verify: (value) => `standardWebhooks({ secrets: () => [${value}] })`,
  },
  header: {
    verifier: 'staticHeader',
    variable: 'WEBHOOK_TOKEN',
    verify: (value) => `staticHeader({ header: 'x-webhook-token', value: () => ${value} })`,
    header: (value) => ['x-webhook-token', value],
  },
  bearer: {
    verifier: 'bearerAuth',
    variable: 'WEBHOOK_TOKEN',
    verify: (value) => `bearerAuth({ token: () => ${value} })`,
    header: (value) => ['authorization', `Bearer ${value}`],
  },
}
