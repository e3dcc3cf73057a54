import { StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createBatches } from './batches.ts'

/** Creates batches of words that end on request. */
const createWords = (maxItems = 64) => {
  const batches: Array<{ readonly words: readonly string[]; end(): void }> = []
  const write = createBatches<string, string>({
    maxItems,
    getKey: (word) => word.slice(0, 1),
    write: (words) =>
      new Promise((resolve) => {
        batches.push({ words, end: () => resolve(words.map((word) => word.toUpperCase())) })
      }),
  })
  return { batches, write }
}

test('combines items that arrive during a write into the next batch', async () => {
  const { batches, write } = createWords()
  const first = write('a')
  await Promise.resolve()
  const second = write('b')
  await Promise.resolve()
  const others = ['c', 'd', 'e'].map(write)
  await Promise.resolve()
  expect(batches.map(({ words }) => words)).toEqual([['a'], ['b']])

  batches[0]?.end()
  expect(await first).toBe('A')
  await expect.poll(() => batches.length).toBe(3)
  expect(batches[2]?.words).toEqual(['c', 'd', 'e'])
  batches[1]?.end()
  batches[2]?.end()
  expect(await Promise.all([second, ...others])).toEqual(['B', 'C', 'D', 'E'])
})

test('leaves items with the same key and items beyond the maximum to the next batch', async () => {
  const { batches, write } = createWords(3)
  const written = ['a1', 'a2', 'b', 'c', 'd'].map(write)
  await Promise.resolve()
  expect(batches.map(({ words }) => words)).toEqual([
    ['a1', 'b', 'c'],
    ['a2', 'd'],
  ])
  for (const batch of batches) batch.end()
  expect(await Promise.all(written)).toEqual(['A1', 'A2', 'B', 'C', 'D'])
})

/** Creates batches that fail with this error if they contain `bad`, even alone. */
const createFailing = (error: unknown) => {
  const batches: (readonly string[])[] = []
  const write = createBatches<string, string>({
    maxItems: 64,
    getKey: (word) => word,
    write: async (words) => {
      batches.push(words)
      if (words.includes('bad')) throw error
      return words
    },
  })
  return { batches, write }
}

const locked = new pg.DatabaseError('canceling statement due to lock timeout', 0, 'error')
locked.code = '55P03'

test.each([
  ['cannot be written', new TypeError('cannot be written')],
  ['has to wait for a lock', new StorageUnavailableError('locked', { cause: locked })],
])('does not let one that %s take the others along', async (_, error) => {
  const { write } = createFailing(error)
  const written = await Promise.allSettled(['a', 'bad', 'b'].map(write))
  expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test.each([
  ['the database is unavailable', new StorageUnavailableError('gone')],
  ['the outcome is unknown', new StorageOutcomeUnknownError('lost')],
])('reports to all of a batch when %s, and tries none of them again by itself', async (_, error) => {
  const { batches, write } = createFailing(error)
  const written = await Promise.allSettled(['a', 'bad'].map(write))
  const rejected = { status: 'rejected', reason: error }
  expect(written).toEqual([rejected, rejected])
  expect(batches).toEqual([['a', 'bad']])
})
