import { expect, test } from 'vitest'
import { conversations } from './conversations.ts'
import { createSeededRandom, pick, pickInteger } from './seeded-random.ts'

test('the same parts give the same numbers in every release', () => {
  const draw = (...parts: readonly (string | number)[]) => {
    const random = createSeededRandom(...parts)
    return Array.from({ length: 4 }, () => Math.floor(random() * 1e9))
  }
  expect(draw('call', 7)).toEqual([235_792_647, 624_728_963, 613_231_926, 636_769_420])
  expect(draw('')).toEqual([243_180_730, 931_778_421, 947_784_931, 596_722_823])
  expect(draw('a', 'b')).toEqual([252_567_940, 136_148_104, 632_511_661, 53_299_795])
})

test('picks every item and every whole number of a range, and nothing else', () => {
  const random = createSeededRandom('picks')
  const draws = Array.from({ length: 200 }, () => [pick(random, ['a', 'b', 'c']), pickInteger(random, -1, 2)])
  expect([...new Set(draws.map(([item]) => item))].sort()).toEqual(['a', 'b', 'c'])
  expect([...new Set(draws.map(([, number]) => Number(number)))].sort((x, y) => x - y)).toEqual([-1, 0, 1, 2])
})

test('each made-up summary has a recap in sentences, at least two key points, and next steps that say something', () => {
  expect(new Set(conversations.map(({ recap }) => recap)).size).toBe(conversations.length)
  for (const { recap, keyPoints, nextSteps } of conversations) {
    expect(recap).toMatch(/^The .{30,200}\.$/)
    expect(keyPoints?.length).toBeGreaterThanOrEqual(2)
    for (const line of [...(keyPoints ?? []), ...(nextSteps ?? [])]) expect(line).toMatch(/^[\dA-Z].{8,80}$/)
  }
  expect(conversations.filter(({ nextSteps }) => nextSteps?.length === 0).length).toBe(2)
})
