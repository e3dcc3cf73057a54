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

test('a signal is forwarded to the command, except on Windows, where the console does that', () => {
  const received: unknown[] = []
  const kill = (signal: unknown): boolean => received.push(signal) > 0
  passOn({ kill }, { signal: 'SIGINT', platform: 'linux' })
  passOn({ kill }, { signal: 'SIGINT', platform: 'win32' })
  expect(received).toEqual(['SIGINT'])
})
