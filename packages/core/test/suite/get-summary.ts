import { SummaryRecord } from '@wabakit/contract'
import { equal, ok } from '../../src/testing/assert.ts'
import { defineCases } from './cases.ts'
import { createWorld, customer, expectError, getSummary, playCall, pstn, start, summary } from './world.ts'

const good = {
  channel: 'PSTN',
  direction: 'INCOMING',
  channelNumber: pstn,
  customerNumber: customer,
} as const

/** The endpoint that fetches a summary. */
export const getSummaryCases = defineCases('Endpoints, fetch call AI summary', {
  'answers 200 with the CALL_AI_SUMMARY payload without event': async () => {
    const world = await createWorld()
    const callId = await playCall(world)
    await world.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
    const response = await getSummary(world, callId)
    const body = await response.json()
    equal(response.status, 200)
    const { event: _, ...record } = world.emissions.at(-1)?.event ?? { event: '' }
    equal(body, record)
    ok(SummaryRecord.safeParse(body).success, 'it is a SummaryRecord')
    equal(body.callStartedAt, new Date(start).toISOString())
  },

  'answers the latest summary after it was generated again': async () => {
    const world = await createWorld()
    const callId = await playCall(world)
    await world.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
    await world.server.summaries.save(
      'acme',
      callId,
      { ...summary, recap: 'New' },
      { generatedBy: 'team_member' },
    )
    equal((await (await getSummary(world, callId)).json()).summary.recap, 'New')
  },

  'answers at any time after the summary exists, whatever became of the webhook': async () => {
    const world = await createWorld()
    const callId = await playCall(world)
    await world.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
    world.clock.time += 1_000 * 86_400_000
    await world.server.organizations.update('acme', { callSummaries: 'manual' })
    equal((await getSummary(world, callId)).status, 200)
  },

  'a call that is going on is 202 with Retry-After': async () => {
    const world = await createWorld()
    const { callId } = await world.server.calls.start('acme', good)
    for (const step of ['start', 'accept'] as const) {
      if (step === 'accept') await world.server.calls.accept('acme', callId)
      const response = await getSummary(world, callId)
      equal(response.headers.get('retry-after'), '5')
      await expectError(response, 202, 'summary_pending')
    }
  },

  'an ended call whose automatic summary is being made is 202 with Retry-After': async () => {
    const world = await createWorld()
    const response = await getSummary(world, await playCall(world))
    equal(response.headers.get('retry-after'), '5')
    await expectError(response, 202, 'summary_pending')
  },

  'an ended call without a summary is 404 when summaries are not automatic': async () => {
    const world = await createWorld()
    await world.server.organizations.update('acme', { callSummaries: 'manual' })
    const callId = await playCall(world)
    await expectError(await getSummary(world, callId), 404, 'summary_not_found')
    await world.server.summaries.save('acme', callId, summary, { generatedBy: 'team_member' })
    equal((await getSummary(world, callId)).status, 200)
  },

  'an unknown call is 404': async () => {
    const world = await createWorld()
    await expectError(await getSummary(world, 'nobody'), 404, 'summary_not_found')
    await expectError(await getSummary(world, 'x'.repeat(255)), 404, 'summary_not_found')
  },

  "another organization's call is 404, as if it were not there": async () => {
    const world = await createWorld()
    const callId = await playCall(world)
    await world.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
    const theirs = await getSummary(world, callId, { key: 'wk_other_0123456789' })
    const unknown = await getSummary(world, 'nobody', { key: 'wk_other_0123456789' })
    equal(await theirs.clone().json(), await unknown.json())
    await expectError(theirs, 404, 'summary_not_found')
  },

  'a call that can never have a summary is 422: missed, rejected, not picked up, no recording, nothing said':
    async () => {
      const world = await createWorld()
      for (const action of ['miss', 'reject', 'ringOut'] as const) {
        const { callId } = await world.server.calls.start('acme', good)
        await world.server.calls[action]('acme', callId)
        await expectError(await getSummary(world, callId), 422, 'summary_unavailable')
      }
      for (const ending of [{ recorded: false }, { spoken: false }]) {
        const { callId } = await world.server.calls.start('acme', good)
        await world.server.calls.accept('acme', callId)
        await world.server.calls.end('acme', callId, ending)
        await expectError(await getSummary(world, callId), 422, 'summary_unavailable')
      }
    },

  'a callId that is missing, empty, longer than 255 characters or not plain text is 400': async () => {
    const world = await createWorld()
    for (const callId of [undefined, '', 'a\0b', 'a\nb', 'x'.repeat(256)]) {
      await expectError(await getSummary(world, callId), 400, 'invalid_call_id', ['callId'])
    }
  },

  'the key comes before the callId: 401': async () => {
    const world = await createWorld()
    await expectError(await getSummary(world, '', { key: null }), 401, 'missing_api_key')
    await expectError(await getSummary(world, '', { key: 'x' }), 401, 'invalid_api_key')
  },
})
