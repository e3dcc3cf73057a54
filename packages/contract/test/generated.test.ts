import { expect, test } from 'vitest'
import { generateChecks } from './checks-source.ts'
import { generateEvents } from './events-source.ts'

test('checks.ts is generated from the definitions', async () => {
  await expect(generateChecks()).toMatchFileSnapshot('../../wire/src/checks.ts')
})

test('events.ts is generated from the definitions', async () => {
  await expect(generateEvents()).toMatchFileSnapshot('../src/events.ts')
})
