import { expect, test } from 'vitest'
import { startEndpoint } from './endpoint.ts'
import { examine } from './examine.ts'

/** Examines an endpoint that changes the texts of the summaries that it stores. */
const examineChange = async (change: (text: string) => string) => {
  await using endpoint = await startEndpoint(({ effects }) => ({
    handle: (event) => {
      if (event.event === 'CALL_AI_SUMMARY') effects.push(change(JSON.stringify(event)))
    },
  }))
  const { checks } = await examine(endpoint, { only: ['keeps-every-letter'] })
  return checks.find(({ id }) => id === 'keeps-every-letter')
}

test('markup that is removed is not taken for letters that are stored wrongly', async () => {
  expect(await examineChange((text) => text.replace(/<[^>]*>/g, ''))).toMatchObject({
    verdict: 'fail',
    risk: expect.stringContaining('everything between < and >'),
    fix: expect.not.stringContaining('UTF-8'),
  })
  expect(await examineChange((text) => text.replace(/[^ -~]/g, '?'))).toMatchObject({
    verdict: 'fail',
    risk: expect.stringContaining('question marks'),
    fix: expect.not.stringContaining('HTML'),
  })
})
