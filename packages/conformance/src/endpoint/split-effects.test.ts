import { expect, test } from 'vitest'
import { splitEffects } from './split-effects.ts'

test('effects are lines', () => {
  expect(splitEffects('call_1 "Hello [x]\ncall_2 {a}\n')).toEqual(['call_1 "Hello [x]', 'call_2 {a}', ''])
  expect(splitEffects('')).toEqual([''])
  expect(splitEffects('{"callId":"call_1"}\n{"callId":"call_2","keyPoints":["a","b"]}\n')).toEqual([
    '{"callId":"call_1"}',
    '{"callId":"call_2","keyPoints":["a","b"]}',
  ])
  expect(splitEffects('["call_1","a"]\n["call_2",{"recap":"b"}]')).toEqual([
    '["call_1","a"]',
    '["call_2",{"recap":"b"}]',
  ])
})

test('each element of a JSON array is an effect', () => {
  expect(splitEffects('[{"callId":"call_1","recap":"a } ] \\" b"}, {"callId":"call_2"}]\n')).toEqual([
    '{"callId":"call_1","recap":"a } ] \\" b"}',
    '{"callId":"call_2"}',
  ])
  expect(splitEffects('[["call_1","a"],["call_2","b"]]')).toEqual(['["call_1","a"]', '["call_2","b"]'])
  expect(splitEffects('[]')).toEqual(['[]'])
})

test('a JSON document may take several lines', () => {
  const [first, second] = [{ callId: 'call_1', keyPoints: ['a', 'b'] }, { callId: 'call_2' }]
  const pretty = (value: unknown): string => JSON.stringify(value, null, 2)
  const expected = ['{ "callId": "call_1", "keyPoints": [ "a", "b" ] }', '{ "callId": "call_2" }']
  expect(splitEffects(`${pretty(first)}\n${pretty(second)}\n`)).toEqual(expected)
  expect(splitEffects(pretty([first, second]))).toEqual(expected)
})

test('numbers and escapes stay as they are written', () => {
  expect(splitEffects('[{"phone":12025550141123456789},{"recap":"a\\u0026b"}]')).toEqual([
    '{"phone":12025550141123456789}',
    '{"recap":"a\\u0026b"}',
  ])
})

test('what is not JSON as a whole is lines', () => {
  expect(splitEffects('[{"callId":"call_1"},\n{"callId":"call_2"}')).toEqual([
    '[{"callId":"call_1"},',
    '{"callId":"call_2"}',
  ])
  expect(splitEffects('2026-12-01 {"callId":"call_1"}\n{"callId":"call_2"}')).toHaveLength(2)
  expect(splitEffects('{a}\n{"callId":"call_2"}')).toHaveLength(2)
})
