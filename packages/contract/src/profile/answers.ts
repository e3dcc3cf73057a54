import { isStateField } from './fields.ts'
import type { Answer, MeasuredProfile } from './measured-profile.ts'

/** A value other than the statement that something never happens. */
type Known<Value> = Exclude<Value, 'never'>

type Seen<Value> = {
  readonly value: Known<Value>
  readonly source: 'probe' | 'capture'
  readonly at: Date
}

/** Serializes a value so that equal values have the same text, in whatever order their fields are. */
const serialize = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  )

/** Returns the answer with one more observation. */
export const addSeen = <Value>(
  answer: Answer<Value> | undefined,
  { value, source, at }: Seen<NoInfer<Value>>,
): Answer<Known<Value>> => {
  const { values = [], ...rest } = (answer ?? {}) as Partial<Answer<Known<Value>>>
  const time = at.toISOString()
  const key = serialize(value)
  const found = values.find((each) => each.source === source && serialize(each.value) === key)
  if (found === undefined || found.source === 'stated') {
    return { ...rest, values: [...values, { value, source, count: 1, firstSeenAt: time, lastSeenAt: time }] }
  }
  const again = { ...found, count: found.count + 1, lastSeenAt: time }
  return { ...rest, values: values.map((each) => (each === found ? again : each)) }
}

/** Returns the answer with one more case in which nothing was seen. */
export const addNotSeen = <Value>(answer: Answer<Value> | undefined): Answer<Known<Value>> => {
  const { values = [], notSeenIn = 0 } = (answer ?? {}) as Partial<Answer<Known<Value>>>
  return { values, notSeenIn: notSeenIn + 1 }
}

/**
 * Lists the different values that a service sends, with `undefined` if it sometimes sends none. If no value was ever observed,
 * `undefined` is listed only if a person stated `never`.
 */
export const listVariants = <Value>(answer: Answer<Value> | undefined): (Known<Value> | undefined)[] => {
  if (answer === undefined) return []
  const isNever = (value: unknown): value is 'never' => value === 'never'
  const variants = new Map<string, Known<Value> | undefined>()
  for (const { value } of answer.values) {
    if (isNever(value)) variants.set('never', undefined)
    else variants.set(serialize(value), value as Known<Value>)
  }
  if (variants.size > 0 && answer.notSeenIn !== undefined) variants.set('never', undefined)
  return [...variants.values()]
}

/** Lists the answers of a profile with the path of each. */
export const listAnswers = ({
  api,
  deliveries,
  events,
}: MeasuredProfile): [path: string, Answer<unknown>][] => {
  const list = (section: object, prefix: string): [string, Answer<unknown>][] =>
    Object.entries(section).flatMap(([name, each]): [string, Answer<unknown>][] =>
      each === undefined ? [] : [[`${prefix}${name}`, each]],
    )
  return [
    ...list(api, ''),
    ...list(deliveries, 'deliveries.'),
    ...Object.entries(events).flatMap(([form, fields]) => list(fields ?? {}, `${form} `)),
  ]
}

/**
 * Returns the paths of answers whose values contradict each other. That a field is sometimes empty is no contradiction if the
 * state of the call decides it.
 */
export const findContradictions = (profile: MeasuredProfile): string[] =>
  listAnswers(profile).flatMap(([path, answer]) => {
    const [, field = ''] = path.split(' ')
    const variants = listVariants(answer).filter((value) => value !== 'empty' || !isStateField(field))
    return variants.length > 1 ? [path] : []
  })
