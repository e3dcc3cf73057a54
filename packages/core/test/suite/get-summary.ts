import { SummaryRecord } from '@wabakit/contract'
import { equal, ok } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import {
  createScenario,
  customer,
  expectError,
  getSummary,
  playCall,
  pstn,
  start,
  summary,
} from './scenario.ts'

const good = {
  channel: 'PSTN',
  direction: 'INCOMING',
  channelNumber: pstn,
  customerNumber: customer,
} as const

/** The summary endpoint. */
export const getSummaryCases = defineCases('Endpoints, fetch call AI summary', {
  'responds with 200 and the CALL_AI_SUMMARY payload without event': async () => {
    const scenario = await createScenario()
    const callId = await playCall(scenario)
    await scenario.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
    const response = await getSummary(scenario, callId)
    const body = await response.json()
    equal(response.status, 200)
    const { event: _, ...record } = scenario.publications.at(-1)?.event ?? { event: '' }
    equal(body, record)
    ok(SummaryRecord.safeParse(body).success, 'it is a SummaryRecord')
    equal(body.callEndedAt, new Date(start).toISOString())
  },

  'returns the latest summary after it was generated again': async () => {
    const scenario = await createScenario()
    const callId = await playCall(scenario)
    await scenario.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
    await scenario.server.summaries.save(
      'acme',
      callId,
      { ...summary, recap: 'New' },
      { generatedBy: 'team_member' },
    )
    equal((await (await getSummary(scenario, callId)).json()).summary.recap, 'New')
  },

  'returns the summary at any time after it exists, whatever happened to the webhook': async () => {
    const scenario = await createScenario()
    const callId = await playCall(scenario)
    await scenario.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
    scenario.clock.time += 1_000 * 86_400_000
    await scenario.server.organizations.update('acme', { callSummaries: 'manual' })
    equal((await getSummary(scenario, callId)).status, 200)
  },

  'a call in progress is 202 with Retry-After': async () => {
    const scenario = await createScenario()
    const { callId } = await scenario.server.calls.start('acme', good)
    for (const step of ['start', 'accept'] as const) {
      if (step === 'accept') await scenario.server.calls.accept('acme', callId)
      const response = await getSummary(scenario, callId)
      equal(response.headers.get('retry-after'), '5')
      await expectError(response, 202, 'summary_pending')
    }
  },

  'an ended call whose automatic summary is being generated is 202 with Retry-After': async () => {
    const scenario = await createScenario()
    const response = await getSummary(scenario, await playCall(scenario))
    equal(response.headers.get('retry-after'), '5')
    await expectError(response, 202, 'summary_pending')
  },

  'an ended call without a summary is 404 if summaries are not automatic': async () => {
    const scenario = await createScenario()
    await scenario.server.organizations.update('acme', { callSummaries: 'manual' })
    const callId = await playCall(scenario)
    await expectError(await getSummary(scenario, callId), 404, 'summary_not_found')
    await scenario.server.summaries.save('acme', callId, summary, { generatedBy: 'team_member' })
    equal((await getSummary(scenario, callId)).status, 200)
  },

  'an unknown call is 404': async () => {
    const scenario = await createScenario()
    await expectError(await getSummary(scenario, 'nobody'), 404, 'summary_not_found')
    await expectError(await getSummary(scenario, 'x'.repeat(255)), 404, 'summary_not_found')
  },

  'a callId that is only similar to one with a summary is 404': async () => {
    const scenario = await createScenario()
    const callId = await playCall(scenario, { callId: 'Call_1' })
    await scenario.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
    equal((await getSummary(scenario, callId)).status, 200)
    for (const similar of [
      ...['Call_1x', 'xCall_1', 'Call_', 'Call_1 ', ' Call_1', 'call_1', 'CALL_1', 'Call%1', 'CallX1'],
      ...['%', '_', "' OR '1'='1", 'constructor', '__proto__', 'Call_1,Call_1'],
    ])
      await expectError(await getSummary(scenario, similar), 404, 'summary_not_found')
  },

  'concurrent requests each get the summary of their own call, again and again': async () => {
    const scenario = await createScenario()
    const callIds = Array.from({ length: 10 }, (_, index) => `c${index}`)
    for (const callId of callIds) {
      await playCall(scenario, { callId, ...(callId > 'c4' && { channel: 'WHATSAPP' }) })
      const own = { ...summary, recap: `Of ${callId}.` }
      await scenario.server.summaries.save('acme', callId, own, { generatedBy: 'automatic' })
    }
    for (let round = 0; round < 2; round++) {
      const responses = await Promise.all(callIds.map((callId) => getSummary(scenario, callId)))
      const bodies = await Promise.all(responses.map((response) => response.json()))
      equal(
        bodies.map((body) => [body.callId, body.summary.recap]),
        callIds.map((callId) => [callId, `Of ${callId}.`]),
      )
    }
  },

  "another organization's call is 404, as if it did not exist, whatever its state": async () => {
    const scenario = await createScenario()
    const { calls, summaries } = scenario.server
    const ended = await playCall(scenario)
    const onWhatsApp = await playCall(scenario, { channel: 'WHATSAPP' })
    for (const callId of [ended, onWhatsApp])
      await summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
    const [{ callId: inProgress }, { callId: missed }] = [
      await calls.start('acme', good),
      await calls.start('acme', good),
    ]
    await calls.miss('acme', missed)
    const unknown = await (await getSummary(scenario, 'nobody', { key: 'wk_other_0123456789' })).json()
    for (const callId of [ended, onWhatsApp, inProgress, missed]) {
      const theirs = await getSummary(scenario, callId, { key: 'wk_other_0123456789' })
      equal(await theirs.clone().json(), unknown)
      await expectError(theirs, 404, 'summary_not_found')
    }
  },

  'a call that can never have a summary is 422: missed, rejected, no recording, nothing said': async () => {
    const scenario = await createScenario()
    for (const action of ['miss', 'reject'] as const) {
      const { callId } = await scenario.server.calls.start('acme', good)
      await scenario.server.calls[action]('acme', callId)
      await expectError(await getSummary(scenario, callId), 422, 'summary_unavailable')
    }
    for (const ending of [{ recorded: false }, { spoken: false }]) {
      const { callId } = await scenario.server.calls.start('acme', good)
      await scenario.server.calls.accept('acme', callId)
      await scenario.server.calls.end('acme', callId, ending)
      await expectError(await getSummary(scenario, callId), 422, 'summary_unavailable')
    }
  },

  'a callId that is missing, empty, longer than 255 characters or not plain text is 400': async () => {
    const scenario = await createScenario()
    for (const callId of [undefined, '', 'a\0b', 'a\nb', 'x'.repeat(256)]) {
      await expectError(await getSummary(scenario, callId), 400, 'invalid_call_id', ['callId'])
    }
  },

  'the key is checked before the callId: 401': async () => {
    const scenario = await createScenario()
    await expectError(await getSummary(scenario, '', { key: null }), 401, 'missing_api_key')
    await expectError(await getSummary(scenario, '', { key: 'x' }), 401, 'invalid_api_key')
  },
})
