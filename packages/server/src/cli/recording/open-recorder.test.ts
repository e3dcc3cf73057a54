import { expect, test } from 'vitest'
import { exitCodes } from '../output.ts'
import { openRecorder } from './open-recorder.ts'

// Not even root may change the permissions of this file.
test.runIf(process.platform === 'linux')('says what to do about a file that others can read', async () => {
  await expect(openRecorder('/proc/self/comm')).rejects.toMatchObject({
    name: 'CliError',
    message: expect.stringMatching(/^\/proc\/self\/comm .+ EPERM: .+ Name a new file, or one of your own\.$/),
    exitCode: exitCodes.usage,
  })
})
