import { subscribe, tracingChannel } from 'node:diagnostics_channel'
import { Counter, Histogram, type Registry } from 'prom-client'
import type { WebhookTrace } from 'wabakit/webhooks'

/** Measures every webhook that a receiver in this process gets. The labels have few values, whatever is sent. */
export const measureWebhooks = (registry: Registry): void => {
  const duration = new Histogram({
    name: 'webhook_duration_seconds',
    help: 'Time from the headers of a webhook to its response, by event, outcome and what verified it.',
    labelNames: ['event', 'outcome', 'verified_by'],
    registers: [registry],
  })
  const cut = new Counter({
    name: 'webhook_cut_connections_total',
    help: 'Connections that were closed while a refused body was still arriving, because 100 others were.',
    registers: [registry],
  })
  subscribe('wabakit.cut', () => cut.inc())
  const timers = new WeakMap<WebhookTrace, ReturnType<typeof duration.startTimer>>()
  tracingChannel<WebhookTrace, WebhookTrace>('wabakit.webhook').subscribe({
    start: (webhook) => void timers.set(webhook, duration.startTimer()),
    end: () => {},
    asyncStart: () => {},
    asyncEnd: (webhook) => {
      const { eventName: event = 'unknown', outcome = 'failed', verifiedBy = ['nothing'] } = webhook
      // With anyOf(), shows when the old way to authenticate is unused.
      timers.get(webhook)?.({ event, outcome, verified_by: verifiedBy.join('+') })
    },
    error: () => {},
  })
}
