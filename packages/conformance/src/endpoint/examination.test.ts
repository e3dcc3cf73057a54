import { expect, test } from 'vitest'
import { createExamination } from './examination.ts'
import { createKnowledge } from './knowledge.ts'
import { startServedClock } from './served-clock.ts'
import { readSettings } from './settings.ts'

test('the time that each reading of the effects takes extends the run, also if it fails', async () => {
  using running = startServedClock()
  let now = 0
  let isLocked = false
  const clock = { ...running, now: () => now }
  const effects = (): string => {
    now += 2_000
    if (isLocked) throw new Error('database is locked')
    return 'call-1 handled\n'
  }
  const options = { url: 'http://127.0.0.1:1', headers: { authorization: 'Bearer token' }, effects }
  const knowledge = createKnowledge()
  const { signal } = new AbortController()
  const run = { checkId: 'accepts-genuine', knowledge, signal }
  const examination = createExamination({ ...readSettings(options, 1), clock }, run)
  const delivery = { id: 'msg_1', subject: 'call-1', body: Buffer.from('{}') }
  expect(await examination.listEffects(delivery)).toEqual(['… handled'])
  expect(knowledge.waitedMs).toBe(2_000)
  isLocked = true
  // It is read again for the 3 s that an effect may take, and later only once more.
  await expect(examination.listEffects(delivery)).rejects.toThrow('database is locked')
  expect(knowledge.waitedMs).toBe(8_000)
  await expect(examination.areHandled([delivery])).rejects.toThrow('database is locked')
  expect(knowledge.waitedMs).toBe(12_000)
})
