import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import type { InboxContext, Receiver } from '@wabakit/webhooks'
import * as webhooks from '@wabakit/webhooks'
import * as node from '@wabakit/webhooks/node'
import { type NumericOptions, testNumericOptions } from '../../../tools/numeric-options.ts'
import { secret } from './signed.ts'

const { createReceiver, sqlInbox, unsigned } = webhooks
const [verify, dialect, payload, secrets] = [unsigned(), 'sqlite', '{}', [secret]] as const
const database = new DatabaseSync(':memory:')
const inbox = sqlInbox(database, { dialect })
const receiver = createReceiver({ verify, inbox })
const client = { calls: { getSummary: async () => Promise.reject(new Error('not asked')) } }
const redis = { set: async () => 'OK', get: async () => null, eval: async () => 1 }
const handle = () => {}
const retain = (retention: webhooks.InboxRetention) => sqlInbox(database, { dialect, retention })

testNumericOptions('webhooks', {
  createReceiver: {
    maxBodyBytes: (maxBodyBytes) => createReceiver({ verify, maxBodyBytes }),
    bodyTimeoutMs: (bodyTimeoutMs) => createReceiver({ verify, bodyTimeoutMs }),
    handlerTimeoutMs: (handlerTimeoutMs) => createReceiver({ verify, handlerTimeoutMs }),
    claimTtlMs: (claimTtlMs) => createReceiver({ verify, claimTtlMs }),
  },
  sqlInbox: {
    concurrency: (concurrency) => sqlInbox(database, { dialect, concurrency }),
    maxAttempts: (maxAttempts) => sqlInbox(database, { dialect, maxAttempts }),
    pollMs: (pollMs) => sqlInbox(database, { dialect, pollMs }),
    'retention.handledBodyMs': (handledBodyMs) => retain({ handledBodyMs }),
    'retention.parkedBodyMs': (parkedBodyMs) => retain({ parkedBodyMs }),
    'retention.keyMs': (keyMs) => retain({ keyMs }),
  },
  memoryDedupe: {
    ttlMs: (ttlMs) => webhooks.memoryDedupe({ ttlMs }),
    maxEntries: (maxEntries) => webhooks.memoryDedupe({ maxEntries }),
  },
  redisDedupe: { ttlMs: (ttlMs) => webhooks.redisDedupe(redis, { ttlMs }) },
  sqlDedupe: { ttlMs: (ttlMs) => webhooks.sqlDedupe(database, { dialect, ttlMs }) },
  standardWebhooks: {
    toleranceSeconds: (toleranceSeconds) => webhooks.standardWebhooks({ secrets, toleranceSeconds }),
  },
  verifySignature: {
    toleranceSeconds: (toleranceSeconds) =>
      webhooks.verifySignature({ payload, headers: {}, secrets, toleranceSeconds }),
  },
  diagnose: {
    toleranceSeconds: (toleranceSeconds) =>
      webhooks.diagnose({ payload, headers: {}, secrets, toleranceSeconds }),
  },
  generateSecret: { bytes: (bytes) => webhooks.generateSecret({ bytes }) },
  parseEvent: { maxBytes: (maxBytes) => webhooks.parseEvent(payload, { maxBytes }) },
  signWebhook: { timestamp: (timestamp) => webhooks.signWebhook({ payload, secret, timestamp }) },
} satisfies NumericOptions<typeof webhooks, 'options.max'>)

testNumericOptions('node', {
  stopServer: {
    maxMs: (maxMs) => node.stopServer(createServer(), { receiver, maxMs }),
    drainMs: (drainMs) => node.stopServer(createServer(), { receiver, drainMs }),
  },
} satisfies NumericOptions<typeof node>)

testNumericOptions('receiver', {
  on: { timeoutMs: (timeoutMs) => receiver.on('CALL_ENDED', handle, { timeoutMs }) },
  onAny: { timeoutMs: (timeoutMs) => receiver.onAny(handle, { timeoutMs }) },
  onUnknown: { timeoutMs: (timeoutMs) => receiver.onUnknown(handle, { timeoutMs }) },
  onDrift: { timeoutMs: (timeoutMs) => receiver.onDrift(handle, { timeoutMs }) },
  subscribe: { timeoutMs: (timeoutMs) => receiver.subscribe('CALL_ENDED', handle, { timeoutMs }) },
  stop: { maxMs: (maxMs) => receiver.stop({ maxMs }) },
  drain: { maxMs: (maxMs) => receiver.drain({ maxMs }) },
  reconcile: {
    olderThanMs: (olderThanMs) => receiver.reconcile(client, { olderThanMs }),
    maxAgeMs: (maxAgeMs) => receiver.reconcile(client, { olderThanMs: 1, maxAgeMs }),
    intervalMs: (intervalMs) => receiver.reconcile(client, { olderThanMs: 1, intervalMs }),
  },
} satisfies NumericOptions<Receiver<InboxContext>>)

testNumericOptions('inbox', {
  list: { limit: (limit) => inbox.list({}, { limit }) },
  count: { stuckForMs: (stuckForMs) => inbox.count({ stuckForMs }) },
} satisfies NumericOptions<Omit<typeof inbox, 'attach' | 'acceptOnly'>>)
