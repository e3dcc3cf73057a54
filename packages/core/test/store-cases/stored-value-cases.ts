import { equal, ok } from './assert.ts'
import { beginOne, buildAttempt, publish, settle, setUp } from './deliveries.ts'
import { buildCall, buildEvent, buildGroup, buildSummary } from './records.ts'
import { defineCases } from './store-case.ts'

/** Values that must be stored unchanged. */
export const storedValueCases = defineCases({
  'stores large texts unchanged': async (store) => {
    await setUp(store)
    const payload = JSON.stringify({ text: '日本語 🎉 "\\ \u2028'.repeat(60_000) })
    const responseBody = '🎉'.repeat(2_048)
    await publish(store, { payload })
    const begun = await beginOne(store)
    ok(begun.event.payload === payload, 'the payload is unchanged')
    await settle(store, begun, { kind: 'delivered', attempt: buildAttempt({ responseBody }) })
    const [kept] = await store.listAttempts('acme', begun.delivery.id)
    ok(kept?.responseBody === responseBody, 'the response body is unchanged')
    await store.saveCall({ call: buildCall(), event: null })
    const large = buildSummary({ summary: { recap: payload, keyPoints: [payload], nextSteps: [] } })
    await store.saveSummary({ summary: large, event: null })
    const found = await store.findCall('acme', 'c1')
    ok(found?.summary?.summary.keyPoints[0] === payload, 'the summary is unchanged')
  },

  'distinguishes ids that differ only in case, accents, spaces or quotes': async (store) => {
    await setUp(store, [])
    const ids = [
      'a',
      'A',
      'a ',
      ' a',
      'á',
      'a\u0301',
      "a'",
      'a"',
      'a\\',
      'a%',
      'a_',
      '__proto__',
      'a\n',
      '🎉',
      '\u{1F468}',
    ]
    for (const clientCustomGroupId of ids) {
      const { outcome } = await store.createGroup({
        group: buildGroup({ clientCustomGroupId }),
        event: buildEvent(),
      })
      equal(outcome, 'created', clientCustomGroupId)
    }
    for (const id of ids) equal((await store.findGroup('acme', id))?.clientCustomGroupId, id)
  },

  'stores times in milliseconds, far in the past and in the future': async (store) => {
    await setUp(store, [])
    for (const [index, createdAt] of [0, 1, 1_767_225_600_123, 253_402_300_799_999].entries()) {
      const clientCustomGroupId = `g${index}`
      await store.createGroup({ group: buildGroup({ clientCustomGroupId, createdAt }), event: buildEvent() })
      equal((await store.findGroup('acme', clientCustomGroupId))?.createdAt, createdAt)
    }
  },
})
