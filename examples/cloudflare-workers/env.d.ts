interface Env {
  readonly WEBHOOK_TOKEN: string
  readonly WEBHOOKS: DurableObjectNamespace<import('./index.ts').Webhooks>
}
