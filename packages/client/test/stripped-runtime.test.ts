import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('works without URL.parse, performance, WebCrypto, web streams and TextDecoder, as in React Native', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@wabakit/source',
    join(import.meta.dirname, 'stripped-runtime.ts'),
  ])
  expect(JSON.parse(stdout)).toEqual([
    { success: true, groupId: 'g' },
    { success: true, groupId: 'after a retry' },
    { error: expect.stringMatching(/^BadRequestError: .* returned 400: no$/), body: '{"message":"no"}' },
    {
      error: expect.stringMatching(/^OutcomeUnknownError: .*does not match the contract/),
      body: `{"success":"${'é'.repeat(65_536 - 12)}`,
    },
    { error: 'AbortError: The call was aborted' },
    { error: expect.stringContaining('baseUrl must be an absolute http or https URL') },
  ])
})
