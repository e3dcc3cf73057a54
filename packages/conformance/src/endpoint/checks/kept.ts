import type { Finding } from '../../report/run-checks.ts'
import type { EndpointChecks } from '../check.ts'
import { excerptLike, showsText, showsUnescaped } from '../decode-effects.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import {
  describeResponse,
  explainShield,
  isUnauthorized,
  keepsEveryLetter,
  refusesSignatureOfParsedBody,
} from '../judge.ts'
import { buildEvent, type Delivery } from '../payloads.ts'
import { isAccepted, isShielded } from '../send.ts'
import type { SummaryFields } from '../summaries.ts'
import { writeRecap } from './accept.ts'

const plainRecap = 'Said hello, asked nothing, and said goodbye.'
/** Has fewer characters than the plain recap, so that a limit that keeps the plain one whole does not cut this one. */
const scriptRecap = 'Grüße, 配達, שלום \u{1f44b}.'
const markupRecap = 'Costs <b>5 & more</b>.'
/** Markup around a recap without any. */
const pageMarkup = /<\/[a-z]+>|<(?:br|dd|li|p|td)\b/i

/** Longer than the text columns of some databases. */
const longRecap = `${'Recap. '.repeat(10_000)}This is the end.`
/** The first of two lines that also have fewer characters than the plain recap. */
const firstLine = 'Two lines.'
const number = (item: string): string[] => Array.from({ length: 20 }, (_, index) => `${item} ${index + 101}`)
/** An application may show either list without the other, so they have no item in common. */
const points = {
  name: 'key points',
  short: ['Asked for apples', 'Wants pears'],
  long: number('Point number'),
}
const steps = { name: 'next steps', short: ['Order apples', 'Deliver pears'], long: number('Step number') }

type List = typeof points

/** Finds a list that is cut to the length of the other one, which the effects show to its end beside one of the same length. */
const findCutList = async (
  examination: Examination,
  shownLists: readonly List[],
): Promise<Pick<Finding, 'observed' | 'fix'> | undefined> => {
  const [longPoints = '', longSteps = ''] = await show(examination, [
    { summary: { recap: plainRecap, keyPoints: points.long, nextSteps: steps.short } },
    { summary: { recap: plainRecap, keyPoints: points.short, nextSteps: steps.long } },
  ])
  const shown = new Map([
    [points, longPoints],
    [steps, longSteps],
  ])
  const cut = shownLists.find((list) => list.long.some((item) => !showsText(shown.get(list) ?? '', item)))
  if (cut === undefined || shown.get(cut) === '') return undefined
  const other = cut === points ? steps : points
  return {
    observed: `the effects show each of 20 ${cut.name} beside 20 ${other.name}, but not beside ${other.short.length}`,
    fix: 'Read each list to its own end: zip() and a loop over both stop at the end of the shorter one.',
  }
}

const noRecaps: Finding = {
  verdict: 'skipped',
  observed: 'no line of the effects shows a callId and the text of its summary',
}

/** Writes JSON in ASCII: an emoji becomes two escapes, which are one character. */
const writeAscii = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The recap in other scripts as bodies contain it: as it is, and in ASCII. */
const scriptForms = [scriptRecap, writeAscii(scriptRecap).slice(1, -1)]

/** Sends summaries with these fields, one after the other or all at once, and returns the lines of the effects of each. */
const show = async (
  examination: Examination,
  list: readonly (SummaryFields & { readonly write?: (event: object) => string })[],
  { isAtOnce = false } = {},
): Promise<string[]> => {
  const { prepare, deliver, areHandled, listEffects } = examination
  const deliveries: Delivery[] = []
  const handled = new Set<Delivery>()
  const send = async (delivery: Delivery): Promise<void> => {
    if (isAccepted(await deliver(delivery))) handled.add(delivery)
  }
  for (const { write = JSON.stringify, ...fields } of list) {
    const { subject } = await prepare('CALL_AI_SUMMARY')
    const event = { ...buildEvent('CALL_AI_SUMMARY', subject), ...fields }
    const delivery = buildDelivery(examination, write(event), subject)
    if (!isAtOnce) await send(delivery)
    deliveries.push(delivery)
  }
  if (isAtOnce) await Promise.all(deliveries.map(send))
  await areHandled([...handled])
  const shown: string[] = []
  for (const delivery of deliveries) {
    const others = deliveries.filter((each) => each !== delivery)
    const lines = await listEffects(delivery)
    const own = lines.filter((line) => !others.some(({ subject }) => line.includes(subject)))
    shown.push(own.join('\n'))
  }
  return shown
}

const kinds = [
  ['INCOMING', 'PSTN'],
  ['OUTGOING', 'PSTN'],
  ['INCOMING', 'WHATSAPP'],
  ['OUTGOING', 'WHATSAPP'],
] as const

/** Four calls whose numbers and recaps differ. The outgoing ones are those of a bot, without an agent. */
const differentCalls = kinds.map(([callDirection, channel], index) => {
  const isIncoming = callDirection === 'INCOMING'
  const [from, to, agentNumber] = [1, 2, 3].map((digit) => `+1202555${index + 5}${digit}4${index + 1}`)
  const fields = {
    ...{ channel, callDirection, from, channelNumber: from, to, customerNumber: to },
    ...{ callType: isIncoming ? 'AGENT' : 'AI_BOT', triggeredVia: isIncoming ? 'INBOUND' : 'API' },
    agentNumber: isIncoming ? agentNumber : undefined,
    ...writeRecap(`Recap of call ${'ABCD'[index]}.`),
  }
  const texts: Readonly<Record<string, string | undefined>> = {
    "organization's number": from,
    "customer's number": to,
    "agent's number": fields.agentNumber,
    recap: fields.summary.recap,
  }
  return { label: `an ${callDirection} ${channel} call`, fields, texts }
})

/** The number of times that each of these calls is sent at once with the others. */
const timesAtOnce = 3

const repeat = <Item>(items: readonly Item[]): Item[] =>
  Array.from({ length: timesAtOnce }, () => items).flat()

const isShown = (lines: string, text: string | undefined): boolean =>
  text !== undefined &&
  // Numbers may be written with spaces, or without their plus sign.
  (showsText(lines, text) || (text.startsWith('+') && lines.replace(/[ ().+-]/g, '').includes(text.slice(1))))

/** Finds a field of one call in the effects of another. Every fourth summary is of the same call. */
const findForeign = (shown: readonly string[]): string | undefined => {
  for (const [index, lines] of shown.entries()) {
    const own = index % differentCalls.length
    for (const [other, { texts, label }] of differentCalls.entries()) {
      const field = Object.keys(texts).find((name) => other !== own && isShown(lines, texts[name]))
      if (field !== undefined) return `an effect shows the ${field} of another call, ${label}`
    }
  }
  return undefined
}

/** Finds calls whose effects show the organization instead of the customer, if those of other calls show the customer. */
const findSwapped = (shown: readonly string[]): string | undefined => {
  const customers: string[] = []
  const others: string[] = []
  for (const [index, { texts, label }] of differentCalls.entries()) {
    const lines = shown[index] ?? ''
    if (isShown(lines, texts["customer's number"])) customers.push(label)
    else if (isShown(lines, texts["organization's number"])) others.push(label)
  }
  if (customers.length === 0 || others.length === 0) return undefined
  return `the effects show the customer's number for ${customers.join(', ')}, but only the organization's for ${others.join(', ')}`
}

/** The lists that `writeRecap` writes: the name of each, and its only item. */
const lists = [
  ['key points', 'Order 1042'],
  ['next steps', 'Send the link'],
] as const

/** Finds a list that the effects of every call show twice, but the other list nowhere. */
const findCopiedList = (shown: readonly string[]): string | undefined => {
  for (const [index, [name, item]] of lists.entries()) {
    const [other = '', missing = ''] = lists[1 - index] ?? []
    const isCopied = shown.every((lines) => lines.split(item).length > 2 && !showsText(lines, missing))
    if (isCopied) {
      return `the effects show the ${name} of each call twice, and its ${other} nowhere: are the ${name} stored as ${other}?`
    }
  }
  return undefined
}

/** Returns whether the effects of every call name both lists and show each, once only, under the name of the other. */
const areListsSwapped = (shown: readonly string[]): boolean =>
  shown.every((lines) => {
    const order = [
      ...lines.matchAll(/(key[ _-]?points?)|(next[ _-]?steps?)|(Order 1042)|(Send the link)/gi),
    ].map((match) => match.slice(1).findIndex(Boolean))
    return ['0,3,1,2', '1,2,0,3'].includes(order.join())
  })

/** Checks of what effects show of summaries. */
export const keptChecks: EndpointChecks = {
  [keepsEveryLetter]: {
    title: 'Keeps the letters of every script, and markup',
    severity: 'high',
    clause:
      'RFC 8259, sections 7 and 8.1: JSON is UTF-8 and may escape any character; specification, "Summary object": recap is a string',
    expected: 'the recap as it was sent, if the effects show recaps',
    risk: 'A summary with an emoji, or in another language than English, is stored with question marks, with gaps or as GrÃ¼Ãe.',
    fix: 'Read the body as UTF-8, and store texts in UTF-8 with four bytes.',
    needs: ['effects'],
    requests: 4,
    run: async (examination) => {
      if (examination.knowledge.effectName !== 'CALL_AI_SUMMARY') return noRecaps
      const [plain = '', script = '', markup = '', escaped = ''] = await show(examination, [
        ...[plainRecap, scriptRecap, markupRecap].map(writeRecap),
        { ...writeRecap(scriptRecap), write: writeAscii },
      ])
      if (!showsText(plain, plainRecap)) return noRecaps
      const refused = examination.exchanges.find(
        (exchange) =>
          !isAccepted(exchange) &&
          scriptForms.some((text) => Buffer.from(exchange.request.body).includes(text)),
      )
      if (refused !== undefined) {
        const observed = `${describeResponse(refused)} to ${JSON.stringify(scriptRecap)}`
        if (isShielded(refused))
          return { verdict: 'inconclusive', observed: `${observed}; ${explainShield([refused])}` }
        const because = isUnauthorized(refused) ? refusesSignatureOfParsedBody : undefined
        const risk =
          'A summary with an emoji, or in another language than English, is refused each time it is sent.'
        return { verdict: 'fail', observed, because, risk }
      }
      const describeChange = (effect: string): string =>
        JSON.stringify(excerptLike(effect, { effect: plain, text: plainRecap }))
      if (!showsText(script, scriptRecap)) {
        return {
          verdict: 'fail',
          observed: `${JSON.stringify(scriptRecap)} became ${describeChange(script)}`,
        }
      }
      if (!showsText(escaped, scriptRecap)) {
        const observed = `${JSON.stringify(scriptRecap)}, written in ASCII, became ${describeChange(escaped)}`
        const fix =
          'Let a JSON parser decode escapes such as \\u00fc. An emoji is written as two of them, which are one character.'
        return { verdict: 'fail', observed, fix, isPartial: true }
      }
      if (showsUnescaped(markup, markupRecap)) return { verdict: 'pass', observed: 'kept' }
      const observed = `${JSON.stringify(markupRecap)} became ${describeChange(markup)}`
      if (!showsText(markup, markupRecap)) {
        return {
          verdict: 'fail',
          observed,
          isPartial: true,
          risk: 'A part of what was said is lost or changed, such as everything between < and >, although it was only a text.',
          fix: 'Store texts as they were sent: remove and replace nothing in them. Escape them for HTML only where a page shows them.',
        }
      }
      // A page must escape what it shows. Otherwise, only the application knows whether what it stores is escaped.
      if (pageMarkup.test(plain)) return { verdict: 'pass', observed: 'kept, and escaped by a page' }
      return { verdict: 'inconclusive', observed: `${observed}, where it is stored or only in the effects` }
    },
  },
  'keeps-long-texts': {
    title: 'Keeps texts and lists to their end',
    severity: 'medium',
    clause:
      'specification, "Summary object": texts and lists have no maximum length; RFC 8259, section 7: a string may have line breaks',
    expected:
      'a recap of 70,000 characters, one of two lines, and all of 20 key points and next steps, if the effects show them',
    risk: 'A part of a summary is lost, and no one notices, because the response is 2xx.',
    fix: 'Store texts with all their lines, in columns without a limit. If only the effects are cut, let them show the whole summary.',
    needs: ['effects'],
    requests: 3,
    run: async (examination) => {
      const { knowledge, ids, listEffects, hasCompleteEffects } = examination
      if (knowledge.effectName !== 'CALL_AI_SUMMARY') return noRecaps
      const secondLine = ids.createSubject()
      const [plain = '', shown = '', twoLines = ''] = await show(examination, [
        { summary: { recap: plainRecap, keyPoints: points.short, nextSteps: steps.short } },
        { summary: { recap: longRecap, keyPoints: points.long, nextSteps: steps.long } },
        writeRecap(`${firstLine}\n${secondLine}`),
      ])
      // The first words show that the effects have recaps, even if they cut each.
      const showsRecaps = showsText(plain, plainRecap.slice(0, 10))
      const shownLists = [points, steps].filter(({ short }) => short.some((item) => showsText(plain, item)))
      if (!showsRecaps && shownLists.length === 0) return noRecaps
      if (shown === '') return { verdict: 'inconclusive', observed: 'a summary of 70 kB had no effect' }
      // Effects that break their lines where a text does have the second line without the callId.
      const isCutAtBreak =
        showsText(plain, plainRecap) &&
        showsText(twoLines, firstLine) &&
        (await listEffects(buildDelivery(examination, {}, secondLine))).length === 0
      const missing = [
        ...(showsRecaps && !showsText(shown, longRecap)
          ? [`the whole recap of ${longRecap.length} characters (they show ${shown.length})`]
          : []),
        ...shownLists.flatMap(({ name, long }) =>
          long.every((item) => showsText(shown, item)) ? [] : [`each of 20 ${name}`],
        ),
        ...(isCutAtBreak ? ['the second line of a recap'] : []),
      ]
      if (missing.length === 0) {
        const cut = await findCutList(examination, shownLists)
        return cut === undefined ? { verdict: 'pass', observed: 'kept' } : { verdict: 'fail', ...cut }
      }
      const observed = `the effects do not show ${missing.join(' or ')}`
      if (hasCompleteEffects) return { verdict: 'fail', observed }
      knowledge.leftOpen = true
      // Only the application knows whether they were cut when they were stored or when they were shown.
      const remedy =
        'cut where it is stored, or only in the effects; if these are complete, pass --effects-complete'
      return { verdict: 'inconclusive', observed: `${observed}: ${remedy}` }
    },
  },
  'keeps-calls-apart': {
    title: 'Keeps the fields of one call apart, from each other and from those of another call',
    severity: 'high',
    clause:
      'specification, "CALL_AI_SUMMARY": from is the organization\'s number and to the customer\'s, in both directions',
    expected: 'the numbers and texts of each call in its own effects, and the same party in each',
    risk: "A customer's words are filed under another customer, or under the business itself.",
    fix: 'customerNumber is the customer, whatever the direction. Build each record from its own event: no shared object, no default of the call before. nextSteps are not keyPoints.',
    needs: ['effects'],
    requests: differentCalls.length * (1 + timesAtOnce),
    run: async (examination) => {
      if (examination.knowledge.effectName !== 'CALL_AI_SUMMARY') return noRecaps
      const fields = differentCalls.map((call) => call.fields)
      const shown = await show(examination, fields)
      const swapped = areListsSwapped(shown)
        ? 'the effects show the key points of each call as its next steps, and the next steps as its key points'
        : undefined
      const observed = findForeign(shown) ?? findSwapped(shown) ?? swapped
      if (observed !== undefined) return { verdict: 'fail', observed }
      const together = findForeign(await show(examination, repeat(fields), { isAtOnce: true }))
      if (together !== undefined) {
        return {
          verdict: 'fail',
          observed: `${together}, which arrived at the same time`,
          fix: 'Keep what belongs to one request in its own variables: not in those of a module, nor in an object that requests share, such as app.context of Koa.',
        }
      }
      const copied = findCopiedList(shown)
      // An application may show one list twice, and not use the other.
      if (copied !== undefined) return { verdict: 'advice', observed: copied }
      const isAnyShown = differentCalls.some(({ texts }, index) =>
        Object.values(texts).some((text) => isShown(shown[index] ?? '', text)),
      )
      return isAnyShown ? { verdict: 'pass', observed: 'each call has its own' } : noRecaps
    },
  },
}
