import { expect, test } from 'vitest'
import { toSpawnArguments } from './spawn-command.ts'

test('a command is started without a shell', () => {
  expect(toSpawnArguments(['npm', 'test', 'a b'], 'linux')).toEqual({
    file: 'npm',
    args: ['test', 'a b'],
    shell: false,
  })
})

test('on Windows, a shell starts it, because npm is a script there, and arguments are quoted', () => {
  expect(toSpawnArguments(['npm', 'test', '--', 'a "b" & c'], 'win32')).toEqual({
    file: 'npm test -- "a ""b"" & c"',
    args: [],
    shell: true,
  })
})
