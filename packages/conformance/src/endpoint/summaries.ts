import { randomBytes, randomUUID } from 'node:crypto'
import { CallDirection, CallType, Channel, TriggeredVia } from '@wabakit/contract'
import type { ExaminationSettings } from './settings.ts'

/** Fields of a summary that may differ from the contract's example. A field that is `undefined` is absent. */
export type SummaryFields = Readonly<Record<string, unknown>>

const agentNumber = '+12025550117'

/** Lists the numbers of agents that a call may state: none if a bot handled it without a team member. */
const listAgents = (callType: CallType, triggeredVia: TriggeredVia): (string | undefined)[] => {
  if (callType === 'AGENT') return [agentNumber, undefined]
  return [triggeredVia === 'UI' ? agentNumber : undefined]
}

/** Lists what distinguishes a kind of call. */
export const listTraits = ({ agentNumber: agent, ...others }: SummaryFields): string[] => [
  ...['channel', 'callDirection', 'callType', 'triggeredVia'].map((name) => String(others[name])),
  agent === undefined ? 'without agentNumber' : 'with agentNumber',
]

/** Returns every kind of call that the contract allows, each with a phrase that describes it. */
export const listSummaries = (): Readonly<Record<string, SummaryFields>> => {
  const summaries: Record<string, SummaryFields> = {}
  for (const channel of Channel.options) {
    for (const callDirection of CallDirection.options) {
      for (const triggeredVia of TriggeredVia.options) {
        if ((callDirection === 'INCOMING') !== (triggeredVia === 'INBOUND')) continue
        for (const callType of CallType.options) {
          for (const agent of listAgents(callType, triggeredVia)) {
            const fields = { channel, callDirection, callType, triggeredVia, agentNumber: agent }
            summaries[listTraits(fields).join(' ')] = fields
          }
        }
      }
    }
  }
  return summaries
}

/** Values that a later version of the service may send, and other ways to state that there is no agent. */
export const newValues: Readonly<Record<string, SummaryFields>> = {
  'a new channel': { channel: 'SIP' },
  'a new direction': { callDirection: 'INTERNAL' },
  'a new status': { callStatus: 'TRANSFERRED' },
  'a new type of call': { callType: 'HYBRID' },
  'a new trigger': { triggeredVia: 'WIDGET' },
  'an agentNumber that is empty': { agentNumber: '' },
  'an agentNumber that is null': { agentNumber: null },
}

/** Ids of calls or groups. `subject` is the part of an id that effects show in every notation, because nothing escapes it. */
type UnusualIds = Readonly<Record<string, { readonly id: string; readonly subject: string }>>

/** Lists ids of calls in forms that an endpoint may not expect. */
export const listUnusualIds = ({ ids }: Pick<ExaminationSettings, 'ids'>): UnusualIds => {
  const [long, special, capitals] = [ids.createSubject(), ids.createSubject(), ids.createSubject()]
  const digits = `9${Array.from(randomBytes(19), (byte) => byte % 10).join('')}`
  const uuid = randomUUID()
  return {
    'a callId of 200 characters': { id: `${long}_`.padEnd(200, 'x'), subject: long },
    'a callId with special characters': { id: `wamid.${special}:a/b+c~d@e==`, subject: special },
    'a callId in capitals': { id: capitals.toUpperCase(), subject: capitals.toUpperCase() },
    'a callId of 20 digits': { id: digits, subject: digits },
    'a callId that is a UUID': { id: uuid, subject: uuid },
  }
}

/** Lists ids of groups that a client may choose: any text of at most 50 characters. */
export const listUnusualGroupIds = ({ ids }: Pick<ExaminationSettings, 'ids'>): UnusualIds => {
  const [long, special, script] = [ids.createSubject(), ids.createSubject(), ids.createSubject()]
  const capitals = ids.createSubject().toUpperCase()
  const digits = `00${Array.from(randomBytes(18), (byte) => byte % 10).join('')}`
  const uuid = randomUUID()
  return {
    'a groupId of 50 characters': { id: `${long}_`.padEnd(50, 'x'), subject: long },
    'a groupId with spaces and punctuation': { id: `Ann's ${special}: a/b & (c)`, subject: special },
    'a groupId in another script': { id: `${script} Größe 東京`, subject: script },
    'a groupId in capitals': { id: capitals, subject: capitals },
    'a groupId of digits': { id: digits, subject: digits },
    'a groupId that is a UUID': { id: uuid, subject: uuid },
  }
}

const summarize = (recap: string, items: readonly string[] = ['Order 1042']): SummaryFields => ({
  summary: { recap, keyPoints: items, nextSteps: items },
})

const writeTimes = (seconds: number, format = (time: string): string => time): SummaryFields => {
  const write = (time: number): string => format(new Date(time).toISOString())
  const endedAt = Date.now() - 60_000
  const callStartedAt = write(endedAt - seconds * 1_000)
  return { durationInSeconds: seconds, callStartedAt, callEndedAt: write(endedAt) }
}

export const longRecap = `This is the start. ${'Recap. '.repeat(715)}`.slice(0, 5_000)
export const scriptRecap = 'Größe, 配達, שלום 👍🏽'

/**
 * Long recaps of characters that have four bytes each, and two units in UTF-16. The second one begins a byte later, so any limit of
 * bytes or of units splits a character of one of them. Both are shorter than `longRecap` in bytes, too.
 */
export const emojiRecaps = ['', '+'].map((start) => start + '👋🎉'.repeat(600))

/** Lists summaries whose texts, lists, times and numbers differ from the usual ones. */
export const listUnusualSummaries = (): Readonly<Record<string, SummaryFields>> => ({
  'a recap of 5,000 characters': summarize(longRecap),
  'quotation marks and markup': summarize(`It's "urgent"; <b>50 % off</b> \\ & more`),
  'letters of other scripts and emoji': summarize(scriptRecap, ['✅ 確認']),
  ...Object.fromEntries(
    emojiRecaps.map((recap) => [`a recap of ${[...recap].length} emoji`, summarize(recap)]),
  ),
  'line breaks': summarize('First line.\nSecond line.'),
  'an empty recap': summarize(''),
  'a text with 40,000 spaces': summarize(`Pause.${' '.repeat(40_000)}End.`),
  'twenty key points and next steps': summarize('A list.', Array(20).fill('One of many points.')),
  'no key points and no next steps': summarize('Nothing to do.', []),
  'another field in the summary': {
    summary: { recap: 'Calm.', keyPoints: ['Order 1042'], nextSteps: ['Send the link'], mood: 'calm' },
  },
  'a long key point': summarize('A list.', ['One of many words. '.repeat(120)]),
  'a duration of 0': writeTimes(0),
  'a duration of 41.5 s': writeTimes(41.5),
  'a duration of 12 hours': writeTimes(43_200),
  'times without milliseconds': writeTimes(42, (time) => time.replace(/\.\d{3}/, '')),
  'times with an offset of five and a half hours': writeTimes(42, (time) =>
    new Date(Date.parse(time) + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30'),
  ),
  'times with an offset without a colon': writeTimes(42, (time) => time.replace('Z', '+0000')),
  'times without seconds': writeTimes(60, (time) => time.replace(/:\d\d\.\d+Z$/, 'Z')),
  'times without an offset': writeTimes(42, (time) => time.replace('Z', '')),
  'times with an offset of zero': writeTimes(42, (time) => time.replace('Z', '+00:00')),
  'times with microseconds': writeTimes(42, (time) => time.replace('Z', '456Z')),
  'numbers without a plus sign': { to: '12025550143', customerNumber: '12025550143' },
  'numbers of other countries': {
    ...{ from: '+493012345678', channelNumber: '+493012345678' },
    ...{ to: '+880123456789012', customerNumber: '+880123456789012' },
  },
})
