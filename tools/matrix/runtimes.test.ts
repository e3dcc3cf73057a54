import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireChromium } from '../../packages/server/test/programs.ts'
import { checkInChromium } from './chromium.ts'
import { startService } from './service.ts'
import { checkInWorkerd } from './workerd.ts'

const dir = import.meta.dirname
let service: Awaited<ReturnType<typeof startService>>

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

test('client, receiver and mock pass their checks in workerd', async () => {
  expect(await checkInWorkerd(dir, service, true)).toContain('waits for a summary')
})

test.skipIf(!requireChromium())(
  'client, receiver and mock pass their checks in Chromium',
  async () => {
    expect(await checkInChromium(dir, service, true)).toContain('waits for a summary')
  },
  30_000,
)
