import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { ask, confirm } from './confirm.ts'

const createTerminal = () => Object.assign(new PassThrough(), { isTTY: true })

test.each([
  ...['n', '', 'maybe', 'yesterday', 'yes, please', 'ye', 'any', 'y n', 'yy', 'no way'].map((reply) => [
    reply,
    `${reply}\n`,
  ]),
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('%j changes nothing', async (_key, typed) => {
  const input = createTerminal()
  const confirmed = confirm('Remove it?', {}, { input, output: createTerminal() })
  input.write(typed)

  await expect(confirmed).rejects.toThrow(/^Nothing was changed\.$/)
})

test.each(['y\n', 'Y\n', ' yes \n', 'YES\n'])('%j confirms', async (typed) => {
  const input = createTerminal()
  const confirmed = confirm('Remove it?', {}, { input, output: createTerminal() })
  input.write(typed)

  await confirmed
})

test('an answer is returned without the spaces around it, and no terminal answers nothing', async () => {
  const input = createTerminal()
  const answered = ask('Which?', { input, output: createTerminal() })
  input.write(' header \n')
  expect(await answered).toBe('header')
  expect(await ask('Which?', { input: new PassThrough(), output: createTerminal() })).toBe('')
})
