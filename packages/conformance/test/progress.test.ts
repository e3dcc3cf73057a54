import { expect, test } from 'vitest'
import { startEndpoint } from './endpoint.ts'
import { examine } from './examine.ts'

test('progress names the check that runs, before its result, and what it waits for', async () => {
  await using endpoint = await startEndpoint()
  const steps: string[] = []
  await examine(endpoint, {
    only: ['handles-duplicate-once', 'remembers-for-a-minute'],
    onCheck: (id, waitsFor) => void steps.push(waitsFor === undefined ? id : `${id}: ${waitsFor}`),
    onResult: ({ id, verdict }) => void steps.push(`${id}: ${verdict}`),
  })
  const ofRepeats = steps.slice(steps.indexOf('accepts-genuine: pass') + 1)
  expect(ofRepeats.slice(0, 2)).toEqual(['handles-duplicate-once', 'handles-duplicate-once: effects'])
  const ofMinute = ofRepeats.slice(ofRepeats.indexOf('handles-duplicate-once: pass') + 1)
  expect(ofMinute[0]).toBe('remembers-for-a-minute')
  expect(ofMinute).toContain('remembers-for-a-minute: a minute to pass')
})
