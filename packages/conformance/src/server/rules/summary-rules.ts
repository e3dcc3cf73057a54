import { setDefaults } from '../../report/run-checks.ts'
import { readField } from '../api/api-request.ts'
import type { CallScene } from '../calls/call-scenes.ts'
import { describeResponse, type Need } from '../lab.ts'
import type { Examination, ServerRule, ServerRules } from '../server-rule.ts'
import type { ReceivedWebhook } from '../webhooks/received-webhook.ts'
import { judgeCall, judgeCalls, nameEvents, type SceneName } from './witness.ts'

const needs: readonly Need[] = ['--listen', '--play']
const fireOnce = '"CALL_AI_SUMMARY", not emitted when: 2'
const failures = '"CALL_AI_SUMMARY", rule 3: failed deliveries are retried and do not affect the summary'

/** How much longer than that of another event the second attempt of a summary may take, in milliseconds. */
const marginMs = 5_000

type Witnessed = { readonly webhooks: readonly ReceivedWebhook[] }

const isSummary = ({ event }: ReceivedWebhook): boolean => event === 'CALL_AI_SUMMARY'

/** Observes whether there is exactly one CALL_AI_SUMMARY. If there is none, the rule has no result. */
const observeOnce = ({ webhooks }: Witnessed) => {
  const count = webhooks.filter((webhook) => isSummary(webhook) && webhook.status === 204).length
  return { kept: count === 0 ? undefined : count === 1, observed: `${count} CALL_AI_SUMMARY` }
}

const observeNone = ({ webhooks }: Witnessed) => ({
  kept: !webhooks.some(isSummary),
  observed: nameEvents(webhooks),
})

const observeOrder = ({ webhooks }: Witnessed) => {
  const ended = webhooks.findIndex(({ event, status }) => event === 'CALL_ENDED' && status === 204)
  const summary = webhooks.findIndex(isSummary)
  const kept = summary < 0 ? undefined : ended >= 0 && ended < summary
  return { kept, observed: nameEvents(webhooks) }
}

/** Measures when a failed CALL_ENDED was attempted again, in milliseconds. */
const measureRetry = async ({ lab, scenes }: Examination): Promise<number | undefined> => {
  const { callId } = await scenes.play('failedEnd')
  await scenes.settle()
  const own = lab.listener?.webhooks.filter((each) => each.callId === callId && each.event === 'CALL_ENDED')
  const [failed, again] = own ?? []
  return failed?.status === 500 && again !== undefined ? again.arrivedAt - failed.arrivedAt : undefined
}

const expectNone = (call: string, scenes: readonly SceneName<CallScene>[]): ServerRule => ({
  title: `${call} publishes no summary`,
  clause: '"CALL_AI_SUMMARY", not emitted when: 1',
  expected: 'no CALL_AI_SUMMARY',
  examine: judgeCalls(observeNone, scenes),
})

const expectArrival = (channel: 'PSTN' | 'WHATSAPP'): ServerRule => ({
  title: `CALL_AI_SUMMARY is published for a ${channel} call`,
  clause: '"CALL_AI_SUMMARY": one event covers both channels',
  expected: `CALL_AI_SUMMARY whose channel is ${channel}`,
  fix: `Publish CALL_AI_SUMMARY once the summary is saved. If the server does, subscribe the address of --listen to the events of a ${channel} number.`,
  examine: judgeCall(channel, ({ summary, callId, lab }) => ({
    kept: summary !== undefined && readField(summary.json, 'channel') === channel,
    observed: summary?.text ?? `no CALL_AI_SUMMARY for ${callId} within ${lab.wait.timeoutMs} ms`,
  })),
})

const rules: ServerRules = {
  'events.summary.none-when-missed': expectNone('A missed call', ['missedPstn', 'missedWhatsApp']),
  'events.summary.none-when-rejected': expectNone('A rejected call', ['rejectedPstn', 'rejectedWhatsApp']),
  'events.summary.none-when-no-recording': expectNone('A call without a recording', [
    'unrecordedPstn',
    'unrecordedWhatsApp',
  ]),
  'events.summary.none-when-nothing-said': expectNone('A call in which nothing was said', [
    'silentPstn',
    'silentWhatsApp',
  ]),
  'events.summary.arrives-for-pstn': expectArrival('PSTN'),
  'events.summary.arrives-for-whatsapp': expectArrival('WHATSAPP'),
  'events.summary.arrives-for-every-call': {
    title: 'CALL_AI_SUMMARY is published for every call that has a summary, in both directions',
    clause: '"CALL_AI_SUMMARY": emitted when a call has ended and its summary has been saved',
    expected: 'CALL_AI_SUMMARY for each answered call',
    examine: judgeCalls(
      ({ webhooks, callId, lab }) => ({
        kept: webhooks.some(isSummary),
        observed: `${callId}: ${nameEvents(webhooks)} within ${lab.wait.timeoutMs} ms`,
      }),
      ['PSTN', 'WHATSAPP', 'anotherWhatsApp', 'failedSummary'],
    ),
  },
  'events.summary.once-per-call': {
    title: 'CALL_AI_SUMMARY is published once per call',
    clause: fireOnce,
    expected: 'one CALL_AI_SUMMARY',
    examine: judgeCalls(observeOnce),
  },
  'events.summary.after-call-ended': {
    title: 'CALL_AI_SUMMARY arrives after CALL_ENDED of the same call',
    clause: '"CALL_AI_SUMMARY", rule 2',
    expected: 'CALL_ENDED first',
    examine: judgeCalls(observeOrder),
  },
  'events.summary.waits-for-a-failed-call-ended': {
    title: 'CALL_AI_SUMMARY waits until a failed CALL_ENDED was delivered',
    clause: '"CALL_AI_SUMMARY", rule 2: it arrives after CALL_ENDED',
    expected: 'CALL_ENDED again, then CALL_AI_SUMMARY',
    examine: judgeCall('failedEnd', (call) => {
      const isRepeated = call.webhooks.some(({ event, status }) => event === 'CALL_ENDED' && status === 204)
      const { kept, observed } = observeOrder(call)
      return { kept: isRepeated ? kept : undefined, observed }
    }),
  },
  'events.summary.failed-delivery-is-retried': {
    title: 'A failed delivery of CALL_AI_SUMMARY is retried',
    clause: failures,
    expected: 'a second attempt',
    examine: async (examination) => {
      const otherMs = await measureRetry(examination)
      return judgeCall('failedSummary', ({ webhooks }) => {
        const [failed, again] = webhooks.filter(isSummary)
        if (failed?.status !== 500) return { kept: undefined, observed: 'no CALL_AI_SUMMARY arrived' }
        if (again !== undefined)
          return { kept: true, observed: `retried after ${again.arrivedAt - failed.arrivedAt} ms` }
        const waitedMs = Date.now() - failed.arrivedAt
        const none = `no second attempt within ${waitedMs} ms`
        // The specification sets no schedule, but the one of the other call webhooks.
        if (otherMs === undefined || waitedMs < 2 * otherMs + marginMs)
          return { kept: undefined, observed: `${none}; the schedule is not specified` }
        return { kept: false, observed: `${none}; CALL_ENDED was retried after ${otherMs} ms` }
      })(examination)
    },
  },
  'events.summary.failed-delivery-keeps-the-summary': {
    title: 'A failed delivery does not affect the summary',
    clause: failures,
    expected: 'the summary can be fetched with status 200 after the webhook got 500',
    examine: async (examination) => {
      const { fetched: other } = await examination.scenes.play('PSTN')
      if (other?.response.status !== 200)
        return {
          kept: undefined,
          observed: 'the summary of a call whose webhook succeeded cannot be fetched',
        }
      return judgeCall('failedSummary', ({ fetched, webhooks }) => ({
        // Without the webhook, no delivery has failed.
        kept: webhooks.some(({ status }) => status === 500)
          ? fetched && fetched.response.status === 200
          : undefined,
        observed: fetched === undefined ? 'not fetched' : describeResponse(fetched),
        requests: fetched && [fetched.request],
      }))(examination)
    },
  },
  'events.summary.none-when-regenerated': {
    title: 'Regenerating a summary publishes no second event',
    clause: fireOnce,
    expected: 'one CALL_AI_SUMMARY',
    needs: [...needs, '--wabakit-control'],
    examine: judgeCall('regenerated', observeOnce),
  },
  'events.summary.none-for-a-silent-bot-test': {
    title: 'A bot test call without webhooks publishes no summary',
    clause: '"CALL_AI_SUMMARY", not emitted when: 3',
    expected: 'no CALL_AI_SUMMARY',
    severity: 'medium',
    needs: [...needs, '--wabakit-control'],
    examine: judgeCall('botTest', observeNone),
  },
}

export const summaryRules: ServerRules = setDefaults(rules, { severity: 'high', needs })
