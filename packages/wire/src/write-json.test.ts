import { expect, test } from 'vitest'
import { writeJson } from './write-json.ts'

const depth = 50_000
const nested = {
  objects: `${'{"0":'.repeat(depth)}1${'}'.repeat(depth)}`,
  arrays: `${'[{"0":'.repeat(depth)}1${'}]'.repeat(depth)}`,
}

test.each(Object.entries(nested))('writes %s that are nested too deeply for JSON.stringify', (_, deep) => {
  const text = `{"event":"X","x":[1,${deep},null,"\\""],"__proto__":{"a\\n":true},"y":[],"z":{}}`
  const value = JSON.parse(text)
  expect(() => JSON.stringify(value)).toThrow(RangeError)
  expect(writeJson(value) === text).toBe(true)
})

test('writes what JSON.stringify can write in the same way', () => {
  const value = { date: new Date(0), missing: undefined, list: [undefined, 1] }
  expect(writeJson(value)).toBe(JSON.stringify(value))
})
