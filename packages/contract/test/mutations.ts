import * as fc from 'fast-check'

const values: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  42.5,
  Number.POSITIVE_INFINITY,
  '',
  ' ',
  'x',
  'END',
  'INCOMING',
  'OUTGOING',
  'WHATSAPP',
  'pstn',
  'AI_BOT',
  'API',
  'auto_approve',
  'a\u0000b',
  'a\ud800b',
  '😀'.repeat(50),
  '😀'.repeat(51),
  '😀'.repeat(128),
  '😀'.repeat(129),
  '😀'.repeat(2048),
  '😀'.repeat(2049),
  '+12025550143',
  '2026-01-01T10:00:00.000Z',
  '2026-01-01T10:00:00+0530',
  '2026-01-01',
  'GROUP_CREATED',
  [],
  [''],
  ['a', 'b'],
  [1],
  {},
  { recap: '', keyPoints: [], nextSteps: [] },
]

const fields = ['recap', 'keyPoints', 'nextSteps', 'addedLater', 'toString', '__proto__', 'constructor']

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const setField = (target: object, name: string, value: unknown): void => {
  if (value === undefined) Reflect.deleteProperty(target, name)
  else
    Object.defineProperty(target, name, {
      value: structuredClone(value),
      enumerable: true,
      configurable: true,
    })
}

/** Arbitrary copies of a payload with up to three fields, its own or its summary's, replaced, removed or added. */
export const mutate = (payload: object): fc.Arbitrary<object> => {
  const change = fc.record({
    name: fc.constantFrom(...Object.keys(payload), ...fields),
    value: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...values) },
      { weight: 1, arbitrary: fc.jsonValue() },
    ),
    inSummary: fc.boolean(),
  })
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    const copy = structuredClone(payload)
    for (const { name, value, inSummary } of changes) {
      const inner = 'summary' in copy && isRecord(copy.summary) ? copy.summary : null
      setField(inSummary && inner !== null ? inner : copy, name, value)
    }
    return copy
  })
}
