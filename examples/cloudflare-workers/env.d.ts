interface Env {
  readonly WABAKIT_WEBHOOK_SECRET: string
  readonly WEBHOOKS: DurableObjectNamespace<import('./index.ts').Webhooks>
}
