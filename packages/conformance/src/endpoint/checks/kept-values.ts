import { type EventName, eventNames } from '@wabakit/contract'
import type { Finding } from '../../report/run-checks.ts'
import type { EndpointChecks } from '../check.ts'
import { excerptLike, showsText } from '../decode-effects.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { type Attempt, judgeAccepted } from '../judge.ts'
import { buildEvent, type Delivery } from '../payloads.ts'
import { isAccepted } from '../send.ts'
import { findMisreadNumber } from './misread.ts'

/** A value of an event, and the effects of this event. */
type Shown = { readonly value: string; readonly effects: string }

/** A kind of values. Code that reads the body as a form changes special ones. A mark of four digits makes each value unique. */
type Kind = {
  readonly label: string
  /** The names of the fields, or the positions in a list, that have such a value. */
  readonly keys: RegExp
  plain(mark: number): string
  special(mark: number): string
  /** The risk of a changed value, and how to fix the endpoint. */
  readonly remedy: Pick<Finding, 'risk' | 'fix'>
  /** Finds another value that the effects show instead of a plain one. */
  findMisread?(plain: Shown): string | undefined
  /** Tells what became of a special value, by comparison with a plain one that its effects show. */
  judge(special: Shown, plain: Shown): 'kept' | 'normalized' | 'changed'
}

/** Numbers may be written with spaces, dots, dashes and parentheses. */
const join = (text: string): string => text.replace(/[ ().-]/g, '')

const isShown = ({ value, effects }: Shown): boolean =>
  showsText(effects, value) || join(effects).includes(join(value))

const countSpacesBefore = (digits: string, effects: string): number => {
  const end = effects.indexOf(digits)
  let start = end
  while (effects[start - 1] === ' ') start -= 1
  return end - start
}

const misreadNumber = {
  risk: 'No customer can be called back, and their next event does not match their earlier ones.',
  fix: 'Store phone numbers as text, as they were sent. They have up to 15 digits, too many for a 32-bit integer or a number that is rounded.',
}

const kinds: readonly Kind[] = [
  {
    label: 'plus signs in its numbers',
    keys: /^(?:from|to|\w+Number|\w+Phone)$/,
    remedy: {
      risk: 'A customer whose number begins with + is not found, or is called under another number.',
      fix: 'Read the body as JSON: + stands for a space in forms alone. Store numbers as text, as they were sent.',
    },
    findMisread: ({ value, effects }) => findMisreadNumber(effects, value),
    plain: (mark) => `1202555${mark}`,
    special: (mark) => `+1202555${mark}`,
    judge: (special, plain) => {
      if (isShown(special)) return 'kept'
      const digits = special.value.slice(1)
      // A decoder of forms makes a space of a plus sign.
      const isSpaced =
        countSpacesBefore(digits, special.effects) > countSpacesBefore(plain.value, plain.effects)
      // By decision 0002 a plus sign means nothing: an application may leave it out, or write the number in the form of its country.
      return !isSpaced && join(special.effects).includes(digits.slice(-7)) ? 'normalized' : 'changed'
    },
  },
  {
    label: 'punctuation in its texts',
    keys: /^(?:\w+Name|recap|\d+)$/,
    remedy: {
      risk: 'A name or a text is stored, or sent on, as another one.',
      fix: 'Read the body as JSON, and store texts as they were sent. Escape what is special where a text is inserted, such as $ in what replaces a pattern.',
    },
    plain: (mark) => `Half and half is all of number ${mark}`,
    // In a replacement, $1 stands for a group, and $$ for a dollar sign.
    special: (mark) => `Half + half = 100% of #${mark} & $1 or $$ more`,
    judge: ({ value, effects }) => (showsText(effects, value) ? 'kept' : 'changed'),
  },
]

const findKind = (key: string, value: unknown): Kind | undefined =>
  typeof value === 'string' ? kinds.find(({ keys }) => keys.test(key)) : undefined

/** Lists the kinds of values that an event has. */
const listKinds = (name: EventName): Kind[] => {
  const found = new Set<Kind | undefined>()
  JSON.stringify(buildEvent(name, ''), (key, value: unknown) => {
    found.add(findKind(key, value))
    return value
  })
  return kinds.filter((kind) => found.has(kind))
}

/** A value that was sent, and the fields that have it. */
type Replaced = { readonly kind: Kind; readonly value: string; readonly keys: readonly string[] }

type Sent = Attempt & {
  readonly name: EventName
  readonly delivery: Delivery
  /** The values that were replaced: by the value of the example event, the one that was sent. */
  readonly values: ReadonlyMap<string, Replaced>
}

/** Creates a function that sends events whose values are unique, and plain except for those of one kind. */
const createSend = (examination: Examination) => {
  let mark = 2_000
  return async (name: EventName, special?: Kind): Promise<Sent> => {
    const { subject } = await examination.prepare(name)
    const values = new Map<string, Replaced>()
    const event: object = JSON.parse(JSON.stringify(buildEvent(name, subject)), (key, usual: unknown) => {
      const kind = findKind(key, usual)
      if (kind === undefined) return usual
      mark += 1
      const write = kind === special ? kind.special : kind.plain
      // Two fields with the same number still have the same.
      const { value, keys } = values.get(`${usual}`) ?? { value: write(mark), keys: [] }
      values.set(`${usual}`, { kind, value, keys: [...keys, key] })
      return value
    })
    const delivery = buildDelivery(examination, event, subject)
    const label = special === undefined ? name : `${name} with ${special.label}`
    return { name, label, delivery, exchange: await examination.deliver(delivery), values }
  }
}

type Pair = { readonly kind: Kind; readonly plain: Sent; readonly special: Sent }

/** Sends each event with plain values and, if it is handled, with special ones of each kind. */
const sendPairs = async (examination: Examination): Promise<Pair[]> => {
  const send = createSend(examination)
  // If the endpoint needs the earlier events of a call, only the effects of its summary can be told apart.
  const names: readonly EventName[] = examination.knowledge.needsPredecessors
    ? ['CALL_AI_SUMMARY']
    : eventNames
  const all: Sent[] = []
  for (const name of names) all.push(await send(name))
  const counts = await examination.countEffects(
    all.map(({ delivery }) => delivery),
    0,
  )
  const pairs: Pair[] = []
  for (const [index, plain] of all.entries()) {
    const name = names[index]
    if (name === undefined || counts[index] === 0 || !isAccepted(plain.exchange)) continue
    for (const kind of listKinds(name)) pairs.push({ kind, plain, special: await send(name, kind) })
  }
  return pairs
}

/** Returns the special values of a pair whose plain ones are shown, with what became of each. */
const judgePair = async ({ listEffects }: Examination, { kind, plain, special }: Pair) => {
  const [plainEffects, effects] = [
    (await listEffects(plain.delivery)).join('\n'),
    (await listEffects(special.delivery)).join('\n'),
  ]
  return [...special.values].flatMap(([usual, { kind: each, value, keys }]) => {
    const usualShown = { value: plain.values.get(usual)?.value ?? '', effects: plainEffects }
    if (each !== kind) return []
    const fields = keys.join('/')
    if (!isShown(usualShown)) {
      const misread = kind.findMisread?.(usualShown)
      if (misread === undefined) return []
      const became = `the ${fields} ${usualShown.value} of ${plain.name} became ${misread}`
      return [{ fate: 'changed' as const, remedy: misreadNumber, fields, became, example: became }]
    }
    const sent = JSON.stringify(value)
    const shown = excerptLike(effects, { effect: plainEffects, text: usualShown.value })
    return [
      {
        fate: kind.judge({ value, effects }, usualShown),
        remedy: kind.remedy,
        fields,
        became: `${sent} became ${JSON.stringify(shown)}`,
        example: `${sent} of ${special.name}`,
      },
    ]
  })
}

/** A check of what an endpoint makes of special values, wherever its effects show plain ones. */
export const keptValueChecks: EndpointChecks = {
  'keeps-values': {
    title: 'Handles events whatever numbers and texts they have, and keeps these',
    severity: 'high',
    clause: 'decision 0002: numbers come with and without a plus sign; RFC 8259, section 7: strings',
    expected: 'each handled, with the numbers and texts that were sent, if the effects show them',
    risk: 'Events of customers whose number begins with + vanish after a 2xx, or a name is stored as another one.',
    fix: 'Read the body as JSON: + stands for a space in forms alone. Store numbers and names as text, as they were sent. Escape $ in a text that replaces a pattern.',
    needs: ['effects'],
    // An endpoint that loses events whatever their values can fail both.
    follows: 'handles-what-it-accepts',
    requests: eventNames.length + eventNames.flatMap(listKinds).length,
    run: async (examination) => {
      const pairs = await sendPairs(examination)
      if (pairs.length === 0) return { verdict: 'skipped', observed: 'the effects show no events' }
      const attempts = pairs.map(({ special }) => special)
      const accepted = judgeAccepted(attempts)
      if (accepted.verdict !== 'pass') return accepted
      const handled = await examination.areHandled(attempts.map(({ delivery }) => delivery))
      const lost = attempts.filter((_, index) => handled[index] === false).map(({ label }) => label)
      if (lost.length > 0) {
        const observed = `accepted, but not handled: ${lost.join(', ')}`
        // If every summary is lost, `accepts-genuine` has failed and says why.
        return { verdict: 'fail', observed, lost, because: 'accepts-genuine' }
      }
      const judged = []
      for (const pair of pairs) judged.push(...(await judgePair(examination, pair)))
      const changed = judged.find(({ fate }) => fate === 'changed')
      if (changed !== undefined) return { verdict: 'fail', observed: changed.became, ...changed.remedy }
      const normalized = judged.filter(({ fate }) => fate === 'normalized')
      const [first] = normalized
      if (first === undefined) return { verdict: 'pass', observed: 'kept' }
      // Only the application knows whether a plus sign was left out where a number is stored, or where it is shown.
      const verdict = examination.hasCompleteEffects ? 'advice' : 'pass'
      const fields = [...new Set(normalized.map((each) => each.fields))].join(', ')
      return {
        verdict,
        observed: `kept, but the effects show ${fields} without a plus sign, such as ${first.example}`,
      }
    },
  },
}
