import { expect, test } from 'vitest'
import { checkFigures, type FigureEvidence } from './figure-rules.ts'

const delivery = { shard: null, status: 'delivered', attempts: 1, recorded: 1, succeeded: 1 }

const check = (changes: Partial<FigureEvidence>) => {
  const broken: string[] = []
  const evidence = {
    deliveries: ['evt_1', 'evt_2'].map((eventId) => ({ ...delivery, eventId })),
    figures: ['', 'sub_1'].map((subscriptionId) => ({ subscriptionId, counts: { delivered: 2 } })),
    attempts: [],
    ends: [],
    ...changes,
  }
  return { ...checkFigures(evidence, (rule) => broken.push(rule)), broken }
}

test('accepts figures that count every delivery once', () => {
  expect(check({})).toEqual({ uncounted: 0, mayBeUncounted: 0, broken: [] })
})

test('reports a delivery that was counted twice, and sums that differ', () => {
  const counts = { delivered: 3 }
  const figures = [{ subscriptionId: '', counts }]
  expect(check({ figures }).broken).toEqual(['figures do not add up', 'figures count too much'])
})

test('a killed process may lose the counts of its last seconds', () => {
  const begun = { id: 'evt_1', at: 0 }
  const attempts = [
    { process: 'worker-1', number: 1, monotonic: 10_000, begun },
    { process: 'worker-1', number: 2, monotonic: 99_000, begun },
    { process: 'worker-1', number: 2, monotonic: 99_500 },
    { process: 'worker-2', number: 1, monotonic: 99_000, begun },
  ]
  const ends = [{ process: 'worker-1', isKilled: true, at: 0, monotonic: 100_000 }]
  expect(check({ figures: [], attempts, ends })).toEqual({ uncounted: 2, mayBeUncounted: 1, broken: [] })
})
