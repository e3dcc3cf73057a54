import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createScenario, customer, playCall, type Sent, summary, waba } from './suite/scenario.ts'

// No matter what fails, and when: no delivery is attempted before all earlier ones of its lane are settled or have
// failed three times, and no CALL_AI_SUMMARY before its CALL_ENDED is settled.

type Progress = { failures: number; isSettled: boolean }

const lastAttempt = 10

/** Returns the events of each subject, in order. */
const groupByLane = (sent: readonly Sent[]): Map<string, string[]> => {
  const events = new Map(sent.map(({ attempted: { event } }) => [event.id, event]))
  const lanes = new Map<string, string[]>()
  // Ids sort by creation time.
  for (const id of [...events.keys()].sort()) {
    const { subject } = events.get(id) ?? { subject: '' }
    lanes.set(subject, [...(lanes.get(subject) ?? []), id])
  }
  return lanes
}

const checkOrder = (sent: readonly Sent[], statuses: readonly number[]): void => {
  const lanes = groupByLane(sent)
  const names = new Map(sent.map(({ attempted: { event } }) => [event.id, event.name]))
  const progress = new Map<string, Progress>()
  const of = (id: string): Progress => progress.get(id) ?? { failures: 0, isSettled: false }
  for (const [index, { attempted, event }] of sent.entries()) {
    const lane = lanes.get(attempted.event.subject) ?? []
    const { id } = attempted.event
    expect(of(id).isSettled).toBe(false)
    for (const earlier of lane.slice(0, lane.indexOf(id))) {
      const { failures, isSettled } = of(earlier)
      expect(isSettled || failures >= 3).toBe(true)
      if (event === 'CALL_AI_SUMMARY' && names.get(earlier) === 'CALL_ENDED') expect(isSettled).toBe(true)
    }
    const failures = of(id).failures + (statuses[index] === 200 ? 0 : 1)
    progress.set(id, { failures, isSettled: statuses[index] === 200 || failures === lastAttempt })
  }
}

test('the order of a lane is preserved whatever fails', async () => {
  const plan = fc.record({
    calls: fc.integer({ min: 0, max: 3 }),
    groups: fc.integer({ min: 0, max: 3 }),
    failing: fc.array(fc.boolean(), { minLength: 1, maxLength: 60, size: 'max' }),
    waits: fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 10, size: 'max' }),
    perSubscription: fc.integer({ min: 1, max: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(plan, async ({ calls, groups, failing, waits, perSubscription }) => {
      const scenario = await createScenario({ delivery: { perSubscription } })
      await scenario.subscribe('WHATSAPP')
      const statuses: number[] = []
      scenario.respond = () => {
        const status = failing[statuses.length % failing.length] ? 500 : 200
        statuses.push(status)
        return new Response(null, { status })
      }
      for (let index = 0; index < groups; index++) {
        const groupId = `g${index}`
        await scenario.server.groups.create('acme', { wabaNumber: waba, subject: 'x', groupId })
        await scenario.advance(waits[index] ?? 0)
        await scenario.server.participants.join('acme', { groupId, phone: customer })
        await scenario.server.participants.leave('acme', { groupId, phone: customer })
      }
      for (let index = 0; index < calls; index++) {
        const callId = await playCall(scenario, { channel: 'WHATSAPP' })
        await scenario.advance(waits[index + 3] ?? 0)
        await scenario.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
      }
      await scenario.advance(20 * 86_400_000)
      checkOrder(scenario.sent, statuses)
      expect(await scenario.server.dispatcher.nextDueAt()).toBeUndefined()
    }),
    { numRuns: 50 },
  )
})
