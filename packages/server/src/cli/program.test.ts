import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from './program.ts'

const { commands } = await createProgram(['--help'])
const names = commands.map((command) => command.name())

const load = async (name: string): Promise<Command> => {
  const program = await createProgram([name])
  const command = program.commands.find((each) => each.name() === name)
  if (command === undefined) throw new Error(`no command ${name}`)
  return command.commands[0] ?? command
}

test.each(names)('the help of %s fits 80 columns', async (name) => {
  const help = (await load(name)).helpInformation()

  expect(help.split('\n').filter((line) => line.length > 80)).toEqual([])
})

test('the flags of a server are in groups', async () => {
  const help = (await load('serve')).helpInformation()

  expect(help.match(/^\w.*:$/gm)).toEqual([
    'Server:',
    'Access:',
    'Deliveries:',
    'Limits:',
    'Log:',
    'Trying it out:',
    'Options:',
  ])
})

test('exec shows its own defaults', async () => {
  const help = (await load('exec')).helpInformation().replace(/\s+/g, ' ')

  expect(help).toMatch(/--port <number> Port [^(]+\(default: 0\)/)
  expect(help).toMatch(/--database <text> [^(]+\(default: :memory:\)/)
  expect(help).toMatch(/--log-level <text> [^(]+\(default: warn\)/)
})
