import type { EventName } from '@wabakit/contract'
import type { Finding } from '../../report/run-checks.ts'
import type { EndpointChecks } from '../check.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { deliverAtOnce, explainOneRecord } from '../judge.ts'
import { buildEvent } from '../payloads.ts'
import { type Exchange, isAccepted } from '../send.ts'

/** Returns whether two different events of one name about one call have an effect each. */
const showsEveryEvent = async (examination: Examination): Promise<boolean> => {
  const subject = examination.ids.createSubject()
  const events = ['Ada', 'Grace'].map((customerName) => ({
    ...buildEvent('CALL_NOT_PICKED', subject),
    customerName,
  }))
  const deliveries = events.map((event) => buildDelivery(examination, event, subject))
  for (const delivery of deliveries) await examination.deliver(delivery)
  return (await examination.countEffectsOf(buildDelivery(examination, {}, subject), 2)) > 1
}

const joined: EventName = 'GROUP_PARTICIPANT_JOINED'
const firstPhone = '+12025550141'

/** An event about a participant: by default, the first one joins the first group. */
type Move = {
  readonly phone?: string
  readonly group?: string
  readonly name?: EventName
  /** The time of the event, if it differs from the usual one. */
  readonly time?: object
}

const crowd = Array.from({ length: 5 }, (_, index) => `+1202555015${index}`)

/** Sends several participants who join one group at once. Returns how many of their numbers the effects do not show. */
const joinAtOnce = async (examination: Examination): Promise<number> => {
  const { ids, countEffects, listEffects } = examination
  const subject = ids.createSubject()
  const deliveries = crowd.map((customerPhone) =>
    buildDelivery(
      examination,
      { ...buildEvent('GROUP_PARTICIPANT_JOINED', subject), customerPhone },
      subject,
    ),
  )
  const { accepted } = await deliverAtOnce(examination, deliveries)
  const [first] = accepted
  // A sender would repeat a refused delivery, so it is not lost.
  if (first === undefined || accepted.length < crowd.length) return 0
  await countEffects([first])
  const shown = (await listEffects(first)).join()
  return crowd.filter((phone) => !shown.includes(phone.slice(1))).length
}

/** The finding for an endpoint that handles a participant only after the GROUP_CREATED of the group. */
const lostWithGroup: Finding = {
  verdict: 'fail',
  observed: 'a participant had no effect, although one whose GROUP_CREATED arrived before had one',
  risk: 'The participants of a group that is older than the subscription, or whose GROUP_CREATED arrives late, are lost.',
  fix: 'Store participants also while their group is unknown: no foreign key to it, and no INSERT … SELECT from it.',
}

/** Checks of what becomes of the participants of a group, who join and leave one after the other or at once. */
export const participantChecks: EndpointChecks = {
  'handles-each-participant': {
    title: 'Handles the event of every participant of every group',
    severity: 'high',
    clause: 'specification, "Events": GROUP_PARTICIPANT_JOINED is sent for each participant',
    expected: 'the number of each, if the effects show numbers',
    risk: 'A unique constraint on the group, on group and event, or on the phone number keeps one participant and drops the others; so do two updates of one list at once.',
    fix: 'Deduplicate by webhook-id. Keep a record of each participant, who is known by group and phone number.',
    needs: ['effects'],
    requests: 10,
    run: async (examination) => {
      const { ids, deliver, listEffects, countEffects, knowledge } = examination
      const firstGroup = ids.createSubject()
      const lost = { verdict: 'fail' as const, observed: 'the second participant of a group had no effect' }
      const counts = new Map<string, number>()
      const texts = new Map<string, string>()
      /** Sends one event about each of several groups, and waits for their effects together. */
      const move = async (...moves: readonly Move[]) => {
        const moved = moves.map(({ phone = firstPhone, group = firstGroup, name = joined, time }) => {
          const before = counts.get(group) ?? 0
          const event = { ...buildEvent(name, group), customerPhone: phone, ...time }
          // The first participant and one who leaves need not have an effect.
          const expected = before > 0 && name === joined ? before + 1 : before
          return { phone, before, expected, delivery: buildDelivery(examination, event, group) }
        })
        const deliveries = moved.map(({ delivery }) => delivery)
        const exchanges: Exchange[] = []
        for (const delivery of deliveries) exchanges.push(await deliver(delivery))
        const expected = moved.map((each) => each.expected)
        const latest = await countEffects(deliveries, expected)
        const seen = []
        for (const [index, { phone, before, delivery }] of moved.entries()) {
          const count = latest[index] ?? 0
          counts.set(delivery.subject, count)
          const text = (await listEffects(delivery)).join('\n')
          const isChanged = text !== texts.get(delivery.subject)
          texts.set(delivery.subject, text)
          const exchange = exchanges[index]
          seen.push({
            isAccepted: exchange !== undefined && isAccepted(exchange),
            isNew: count > before,
            isChanged,
            isNumberShown: text.includes(phone.slice(1)),
          })
        }
        return seen
      }
      /** Judges whether the first participant, who has left, has an effect when joining again. */
      const judgeReturn = async (
        left: Awaited<ReturnType<typeof move>>[number] | undefined,
      ): Promise<Finding> => {
        if (!left?.isChanged) {
          const [alone] = await move({ name: 'GROUP_PARTICIPANT_LEFT', group: ids.createSubject() })
          return alone?.isNew
            ? { verdict: 'inconclusive', observed: explainOneRecord('leaving after joining') }
            : { verdict: 'pass', observed: 'each was handled' }
        }
        const time = { participantJoinedAt: new Date().toISOString() }
        if (!left.isNew || (await move({ time }))[0]?.isNew) {
          return { verdict: 'pass', observed: 'each was handled' }
        }
        return {
          verdict: 'fail',
          observed: 'a participant who left and joined again had no second effect, although leaving had one',
        }
      }
      const [first] = await move({})
      if (!first?.isNew) {
        const created = examination.build('GROUP_CREATED')
        await deliver(created)
        await countEffects([created], [knowledge.showsGroups ? 1 : 0])
        const [known] = await move({ group: created.subject })
        return first?.isAccepted && known?.isNumberShown
          ? lostWithGroup
          : { verdict: 'skipped', observed: 'the effects show no participants' }
      }
      const [second] = await move({ phone: '+12025550142' })
      if (!first.isNumberShown) {
        if (second?.isNew) return judgeReturn((await move({ name: 'GROUP_PARTICIPANT_LEFT' }))[0])
        // Without the number, one effect of two participants proves a loss only if the application shows every event.
        knowledge.countsEvents ??= await showsEveryEvent(examination)
        return knowledge.countsEvents
          ? lost
          : { verdict: 'inconclusive', observed: explainOneRecord('a second GROUP_PARTICIPANT_JOINED') }
      }
      if (!second?.isNumberShown) return lost
      if (!texts.get(firstGroup)?.includes(firstPhone.slice(1))) {
        return { verdict: 'fail', observed: 'the second participant of a group replaced the first' }
      }
      const [elsewhere, left] = await move({ group: ids.createSubject() }, { name: 'GROUP_PARTICIPANT_LEFT' })
      if (!elsewhere?.isNumberShown) {
        return { verdict: 'fail', observed: 'a participant of one group had no effect when joining another' }
      }
      const finding = await judgeReturn(left)
      if (finding.verdict === 'fail') return finding
      const missing = await joinAtOnce(examination)
      if (missing === 0) return finding
      knowledge.lossInRecord = 'handles-each-participant'
      const observed = `${missing} of ${crowd.length} participants who joined one group at once had no effect`
      return { verdict: 'fail', observed, because: knowledge.lossAtOnce }
    },
  },
}
