import { expect, test } from 'vitest'
import { passOn, toSpawnArguments } from './exec.ts'

test('a command is started without a shell', () => {
  expect(toSpawnArguments(['npm', 'test', 'a b'], 'linux')).toEqual({
    file: 'npm',
    args: ['test', 'a b'],
    shell: false,
  })
})

test('on Windows, a shell starts the command, because npm is a script there, and arguments are quoted', () => {
  expect(toSpawnArguments(['npm', 'test', '--', 'a "b" & c'], 'win32')).toEqual({
    file: 'npm test -- "a ""b"" & c"',
    args: [],
    shell: true,
  })
})

test('a signal is forwarded to the command, unless the terminal or the console of Windows has sent it there, too', () => {
  const received: unknown[] = []
  const kill = (signal: unknown): boolean => received.push(signal) > 0
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    for (const platform of ['linux', 'win32'] as const)
      for (const isTerminal of [false, true]) passOn({ kill }, { signal, platform, isTerminal })
  expect(received).toEqual(['SIGINT', 'SIGTERM', 'SIGTERM'])
})
