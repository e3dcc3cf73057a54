import { DurableObject } from 'cloudflare:workers'
import { createReceiver, sqlDedupe, sqlDedupeTable, urlToken } from 'wabakit/webhooks'

/** Receives the webhooks of all Workers, so that each is handled once. */
export class Webhooks extends DurableObject<Env> {
  readonly receiver = createReceiver({
    verify: urlToken({ token: () => this.env.WEBHOOK_TOKEN }),
    dedupe: sqlDedupe((text, values) => this.ctx.storage.sql.exec(text, ...values).toArray(), {
      dialect: 'sqlite',
    }),
  })
    .on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))
    // Without an inbox, these would be lost: a 422 may be the last time that a live service sends an event.
    .onDrift(({ name, raw }) => console.warn('drifted', name, JSON.stringify(raw)))
    .onUnknown(({ name, raw }) => console.warn('unknown', name, JSON.stringify(raw)))

  constructor(context: DurableObjectState, env: Env) {
    super(context, env)
    context.storage.sql.exec(sqlDedupeTable({ dialect: 'sqlite' }))
  }

  override fetch(request: Request): Promise<Response> {
    return this.receiver.handle(request)
  }
}

export default {
  fetch: (request, env) => env.WEBHOOKS.getByName('webhooks').fetch(request),
} satisfies ExportedHandler<Env>
