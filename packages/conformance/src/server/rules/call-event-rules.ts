import { isPublishedEventName } from '@wabakit/contract'
import { setDefaults } from '../../report/run-checks.ts'
import { readField } from '../api/api-request.ts'
import type { ServerRule, ServerRules } from '../server-rule.ts'
import type { ReceivedWebhook } from '../webhooks/received-webhook.ts'
import { isDocumented, judgeCalls, judgeWebhooks, nameEvents } from './witness.ts'

const steps = '"States and transitions": order of webhook events'
const fields = '0014 (call event fields)'
const unanswered = ['missedPstn', 'missedWhatsApp', 'rejectedPstn', 'rejectedWhatsApp'] as const
const stepNames = ['CALL_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY']

const isInitiated = ({ event }: ReceivedWebhook): boolean =>
  event === 'CALL_INCOMING_INITIATED' || event === 'CALL_OUTGOING_INITIATED'

/** Returns a call's steps as the specification names them: one name for the start of a call in either direction. */
const readSteps = (webhooks: readonly ReceivedWebhook[]): string[] =>
  webhooks.map((webhook) => (isInitiated(webhook) ? 'CALL_INITIATED' : webhook.event))

const expectOwnCalls = (channel: 'PSTN' | 'WHATSAPP', path: string): ServerRule => ({
  title: `A webhook on a ${channel} number receives only that number's calls`,
  clause: '"CALL_AI_SUMMARY", rule 1: subscriptions are per channel',
  expected: `at ${path} only events whose channel is ${channel}`,
  severity: 'high',
  fix: `Send a webhook only the calls of its number. If the run could not tell, subscribe a ${channel} number to the path ${path} of --listen.`,
  examine: judgeWebhooks(
    ({ json, text }) => (readField(json, 'channel') === channel ? undefined : text),
    // Groups are on WABA numbers, so their events state no channel.
    ({ path: at, callId, groupId }) =>
      at === path && (callId !== '' || (groupId !== '' && channel === 'PSTN')),
  ),
})

const rules: ServerRules = {
  'events.call.all-steps-arrive': {
    title: 'A summarized call publishes all four steps, under the same callId',
    clause: steps,
    expected: 'an INITIATED event, CALL_ACCEPTED, CALL_ENDED and CALL_AI_SUMMARY',
    severity: 'high',
    examine: judgeCalls(({ webhooks, callId }) => ({
      kept: stepNames.every((name) => readSteps(webhooks).includes(name)),
      observed: `${callId}: ${nameEvents(webhooks)}`,
    })),
  },
  'events.call.order': {
    title: 'The events of a call arrive in the order of its steps',
    clause: steps,
    expected: 'INITIATED, then CALL_ACCEPTED, then CALL_ENDED, then CALL_AI_SUMMARY',
    severity: 'high',
    examine: judgeCalls(({ webhooks }) => {
      const places = readSteps(webhooks)
        .map((name) => stepNames.indexOf(name))
        .filter((place) => place >= 0)
      const isSorted = places.every((place, index) => place >= (places[index - 1] ?? 0))
      return { kept: places.length < 2 ? undefined : isSorted, observed: nameEvents(webhooks) }
    }),
  },
  'events.call.steps-once': {
    title: 'Each step of a call is published once',
    clause: steps,
    expected: 'each event once',
    examine: judgeCalls(({ webhooks }) => {
      const names = readSteps(webhooks).filter((name) => name !== 'CALL_AI_SUMMARY')
      const kept = names.length === 0 ? undefined : new Set(names).size === names.length
      return { kept, observed: nameEvents(webhooks) }
    }),
  },
  'events.call.not-accepted-when-missed': {
    title: 'A call that was missed or rejected was not accepted',
    clause: steps,
    expected: 'no CALL_ACCEPTED',
    examine: judgeCalls(
      ({ webhooks }) => ({
        kept: webhooks.length === 0 ? undefined : !readSteps(webhooks).includes('CALL_ACCEPTED'),
        observed: nameEvents(webhooks),
      }),
      unanswered,
    ),
  },
  'events.call.initiated-when-missed': {
    title: 'A call that is missed or rejected publishes that it began',
    clause: `${steps}; step 1 follows the start of the call`,
    expected: 'an INITIATED event',
    examine: judgeCalls(
      ({ webhooks }) => ({
        kept: readSteps(webhooks).includes('CALL_INITIATED'),
        observed: nameEvents(webhooks),
      }),
      unanswered,
    ),
  },
  'events.call.steps-without-a-summary': {
    title: 'An answered call publishes its steps, even if it has no summary',
    clause: steps,
    expected: 'an INITIATED event, CALL_ACCEPTED and CALL_ENDED',
    examine: judgeCalls(
      ({ webhooks }) => ({
        kept: stepNames.slice(0, 3).every((name) => readSteps(webhooks).includes(name)),
        observed: nameEvents(webhooks),
      }),
      ['unrecordedPstn', 'unrecordedWhatsApp', 'silentPstn', 'silentWhatsApp'],
    ),
  },
  'events.call.initiated-matches-the-direction': {
    title:
      'An incoming call starts with CALL_INCOMING_INITIATED, an outgoing one with CALL_OUTGOING_INITIATED',
    clause: '"States and transitions": step 1',
    expected: 'the event of the direction that CALL_AI_SUMMARY states',
    examine: judgeCalls(({ webhooks }) => {
      const summary = webhooks.find(({ event }) => event === 'CALL_AI_SUMMARY')
      const first = webhooks.find(isInitiated)
      const direction = readField(summary?.json, 'callDirection')
      return {
        kept: summary && first && first.event === `CALL_${direction}_INITIATED`,
        observed: `${nameEvents(webhooks)}, callDirection ${direction}`,
      }
    }),
  },
  'events.call.status': {
    title: 'callStatus is INITIATED, IN_PROGRESS and END',
    clause: fields,
    expected: 'INITIATED, IN_PROGRESS, END',
    examine: judgeCalls(({ webhooks }) => {
      const found = webhooks
        .filter(({ event }) => event !== 'CALL_AI_SUMMARY')
        .map(({ json }) => String(readField(json, 'callStatus')))
        .join(', ')
      const kept = found === '' ? undefined : found === 'INITIATED, IN_PROGRESS, END'
      return { kept, observed: found || 'no webhook' }
    }),
  },
  'events.call.fields': {
    title: 'Call events have the fields that wabakit documents',
    clause: fields,
    expected: 'the fields in docs/reference/events.md, and nothing else',
    examine: judgeCalls(({ webhooks }) => {
      const wrong = webhooks.find((webhook) => !isDocumented(webhook))
      const kept = webhooks.length === 0 ? undefined : wrong === undefined
      return { kept, observed: wrong?.text ?? nameEvents(webhooks) }
    }),
  },
  'events.call.only-known-events': {
    title: 'Only the events of the specification are published',
    clause: '0013 (who sees which event)',
    expected: 'no other event',
    needs: ['--listen'],
    examine: judgeWebhooks((webhook) => (isPublishedEventName(webhook.event) ? undefined : webhook.text)),
  },
  'events.channel.pstn-webhook-gets-its-calls-only': expectOwnCalls('PSTN', '/pstn'),
  'events.channel.whatsapp-webhook-gets-its-calls-only': expectOwnCalls('WHATSAPP', '/whatsapp'),
}

export const callEventRules: ServerRules = setDefaults(rules, { needs: ['--listen', '--play'] })
