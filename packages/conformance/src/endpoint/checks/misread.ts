import { showsText } from '../decode-effects.ts'
import type { Examination } from '../examination.ts'
import type { Attempt } from '../judge.ts'
import { emojiRecaps, longRecap, scriptRecap } from '../summaries.ts'

/** The times, the duration and the recap of a summary that was sent, and its effects. */
type Shown = {
  readonly times: Readonly<Record<'callStartedAt' | 'callEndedAt', string>>
  readonly seconds: number
  readonly recap: string
  readonly effects: string
}

const minuteLength = 'YYYY-MM-DDTHH:MM'.length

/** Reads the whole numbers of effects, by the characters around each. Numbers whose digits are grouped are left out. */
const readNumbers = (effects: string): ReadonlyMap<string, string> =>
  new Map(
    [...effects.matchAll(/(?<!\d[.:]?)\d+(?![\d.:]|[,'’_\s]\d)/g)].map(({ 0: number, index }) => {
      const [before, end] = [effects.slice(Math.max(0, index - 12), index), index + number.length]
      return [`${before}…${effects.slice(end, end + 2)}`, number]
    }),
  )

/**
 * Finds the duration of a long call that the effects show as another number, where they show 42 for each call of 42 s. They may
 * write a long one differently, such as `12 h`, but then another character follows the number.
 */
const findMisreadDuration = (shown: readonly Shown[]): string | undefined => {
  const long = shown.find(({ seconds }) => seconds > 1_000)
  const [first, ...others] = shown
    .filter(({ seconds }) => seconds === 42)
    .map(({ effects }) => readNumbers(effects))
  if (long === undefined || first === undefined || others.length === 0) return undefined
  const numbers = readNumbers(long.effects)
  for (const [place, number] of first) {
    const found = numbers.get(place) ?? '42'
    // A 42 by chance, such as in a time, is not at this place in the effects of all others.
    if (number !== '42' || found === '42' || !others.every((each) => each.get(place) === '42')) continue
    if (Number(found) !== long.seconds) return `a duration of ${long.seconds} s became ${found}`
  }
  return undefined
}

const showsMinute = (effects: string, time: string): boolean => {
  const minute = time.slice(0, minuteLength)
  return effects.includes(minute) || effects.includes(minute.replace('T', ' '))
}

/** Finds a time whose offset was left out, where the effects show the times of other calls in UTC. */
const findMisreadTime = (
  shown: readonly Shown[],
  name: 'callStartedAt' | 'callEndedAt',
): string | undefined => {
  const others = shown.filter(({ times }) => times[name].endsWith('Z'))
  if (others.length === 0 || !others.every(({ effects, times }) => showsMinute(effects, times[name])))
    return undefined
  const misread = shown.find(
    ({ effects, times: { [name]: time } }) =>
      time.endsWith('+05:30') &&
      showsMinute(effects, time) &&
      !showsMinute(effects, new Date(time).toISOString()) &&
      !/05:?30/.test(effects),
  )
  return misread && `the effects show ${name} ${misread.times[name]} without its offset`
}

/**
 * Finds a long recap of emoji of which the effects show nothing, where they show the beginning of a longer one in ASCII, and a short one
 * in other scripts.
 */
const findLostRecap = (shown: readonly Shown[]): string | undefined => {
  const showsBeginning = (recap: string, length: number): boolean => {
    const effects = shown.find((each) => each.recap === recap)?.effects ?? ''
    return showsText(effects, [...recap].slice(0, length).join(''))
  }
  if (!showsBeginning(longRecap, 20) || !showsBeginning(scriptRecap, scriptRecap.length)) return undefined
  const lost = emojiRecaps.find((recap) => !showsBeginning(recap, 3))
  return (
    lost &&
    `the effects show nothing of a recap of ${[...lost].length} emoji, as if it was cut within a character`
  )
}

/** Finds a time or a duration that the effects show as another one than it was, or a recap that they do not show. */
export const findMisread = async (
  { listEffects }: Examination,
  attempts: readonly Attempt[],
): Promise<string | undefined> => {
  const shown: Shown[] = []
  for (const { delivery } of attempts) {
    if (delivery === undefined) continue
    const { durationInSeconds: seconds, summary, ...times } = JSON.parse(delivery.body.toString())
    shown.push({ times, seconds, recap: summary.recap, effects: (await listEffects(delivery)).join('\n') })
  }
  return (
    findMisreadDuration(shown) ??
    findMisreadTime(shown, 'callStartedAt') ??
    findMisreadTime(shown, 'callEndedAt') ??
    findLostRecap(shown)
  )
}

/**
 * Finds a number that digits turn into if its type is too small for them: 32 bits overflow, or stop at their maximum, and a
 * floating-point number is rounded.
 */
export const findMisreadNumber = (effects: string, digits: string): string | undefined => {
  const exact = BigInt(digits)
  const misread = [
    BigInt.asIntN(32, exact),
    BigInt.asUintN(32, exact),
    2n ** 31n - 1n,
    2n ** 32n - 1n,
    BigInt(Math.fround(Number(digits))),
  ]
  const shown = effects.match(/(?<![\w.-])-?\d+(?:\.\d+)?(?:e\+?\d+)?(?![\w.])/gi) ?? []
  const isRounded = (text: string): boolean =>
    /[.e]/i.test(text) && Math.abs(Number(text) / Number(digits) - 1) < 1e-3
  return shown.find((text) => (/^-?\d+$/.test(text) && misread.includes(BigInt(text))) || isRounded(text))
}
