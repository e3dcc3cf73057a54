import { expect, test } from 'vitest'
import { runCommand } from './shell.ts'

test.each([
  ['prints too much', 'yes', { maxBuffer: 1_048_576 }, 'it printed more than 1 MiB'],
  ['takes too long', 'sleep 60', { timeout: 50 }, 'it did not end within 50 ms'],
  ['warns and prints too much', 'echo warning >&2; exec yes', { maxBuffer: 1_048_576 }, 'more than 1 MiB'],
  ['warns and takes too long', 'echo warning >&2; exec sleep 60', { timeout: 500 }, 'within 500 ms'],
  ['fails silently', 'exit 7', {}, 'it ended with 7'],
  ['says why it fails', 'echo no table >&2; exit 1', {}, 'no table'],
])('says so if a command %s', async (_, command, options, message) => {
  await expect(runCommand(command, options)).rejects.toThrow(message)
})
