interface Env {
  readonly WEBHOOK_SECRET: string
  readonly WEBHOOKS: DurableObjectNamespace<import('./index.ts').Webhooks>
}
