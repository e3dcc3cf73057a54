import { expect, test } from 'vitest'
import { createApiFaults } from './api-faults.ts'

test('a fault hits if the random number is below its chance', () => {
  const numbers = [0.29, 0.3, 0.9, 0]
  const faults = createApiFaults(() => numbers.shift() ?? 0)
  faults.add({ endpoint: '*', fault: { status: 500 }, chance: 0.3, times: 'always' })
  const hits = Array.from({ length: 4 }, () => faults.take('groups.create') !== undefined)
  expect(hits).toEqual([true, false, false, true])
})

test('a request that misses a fault by chance is hit by the next fault that applies', () => {
  const numbers = [0.5, 0.05]
  const faults = createApiFaults(() => numbers.shift() ?? 0)
  faults.add({ endpoint: '*', fault: { status: 500 }, chance: 0.1, times: 'always' })
  faults.add({ endpoint: 'groups.create', fault: { status: 503 }, times: 'always' })
  const take = () => faults.take('groups.create')?.status
  expect([take(), take()]).toEqual([503, 500])
  expect(faults.list()).toMatchObject([{ hits: 1 }, { hits: 1 }])
})

test('a fault without an effect, or with two that exclude each other, is refused', () => {
  const faults = createApiFaults(() => 0)
  for (const fault of [{ carriedOut: true }, { message: 'Out of order.' }])
    expect(() => faults.add({ endpoint: '*', fault })).toThrow(
      /^a fault needs something that goes wrong, such as \{ status: 429 \} or \{ reset: true \}$/,
    )
  expect(() => faults.add({ endpoint: '*', fault: { reset: true, html: true } })).toThrow(
    /^only one of reset, malformed, html, truncated, offContract can happen to one response; add a second fault for the next request$/,
  )
  expect(faults.list()).toEqual([])
})

test('a fault hits as often as it is planned, and shows how many hits are left', () => {
  const faults = createApiFaults(() => 0)
  faults.add({ endpoint: 'groups.create', fault: { status: 500 }, times: 2 })
  const { id } = faults.add({ endpoint: '*', fault: { status: 503 }, times: 'always' })
  const take = () => faults.take('groups.create')?.status
  expect(faults.list()[0]).toMatchObject({ remaining: 2 })
  expect(faults.take('calls.getSummary')?.status).toBe(503)
  expect([take(), take(), take(), take()]).toEqual([500, 500, 503, 503])
  expect(faults.list()).toMatchObject([{ id, remaining: 'always' }])
  faults.remove(id)
  expect(take()).toBeUndefined()
})
