import { exitCodes as verdictCodes } from '@wabakit/conformance'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { exitCodes } from './output.ts'
import { createProgram } from './program.ts'

const { commands } = await createProgram(['--help'])
const names = commands.map((command) => command.name())

const load = async (name: string): Promise<Command> => {
  const program = await createProgram([name])
  const command = program.commands.find((each) => each.name() === name)
  if (command === undefined) throw new Error(`no command ${name}`)
  return command
}

/** Returns a command's complete help, including examples. */
const readHelp = (command: Command): string => {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 }).outputHelp()
  return help
}

const listAll = (command: Command): Command[] => [command, ...command.commands.flatMap(listAll)]

test.each(names)('the help of %s and of its subcommands fits 80 columns', async (name) => {
  for (const command of listAll(await load(name))) {
    const help = readHelp(command)
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(command.description(), help).not.toBe('')
    for (const { long, description } of command.options) expect(description, long ?? '').not.toBe('')
    expect(help).toMatch(/\nExamples:\n {2}\$ wabakit\b/)
  }
})

test.each(names)('%s prints its results as JSON, too', async (name) => {
  const withoutResult = ['help', 'complete']
  const commands = listAll(await load(name)).filter(({ commands: inner }) => inner.length === 0)
  for (const command of commands.filter((each) => !withoutResult.includes(each.name())))
    expect(command.options.map(({ long }) => long)).toContain('--format')
})

test('the help names every exit code', async () => {
  const codes = Object.values({ ...exitCodes, ...verdictCodes })
  const help = readHelp(await createProgram(['--help']))
  for (const code of codes) expect(help).toMatch(new RegExp(`Exit codes:.*\\b${code} \\w+`, 's'))
})

test('every example uses an existing command with existing options', async () => {
  for (const name of names) {
    const { commands: all } = await createProgram([name])
    for (const command of listAll(await load(name))) {
      const help = readHelp(command).replaceAll(/ \\\n */g, ' ')
      for (const [, line = ''] of help.matchAll(/^ {2}\$ wabakit (.+)$/gm)) {
        const words = line.split(' -- ')[0]?.split(' ') ?? []
        const called = words.reduce<{ command: Command | undefined; all: readonly Command[] }>(
          (found, word) => {
            const next = found.all.find((each) => each.name() === word)
            return next === undefined ? found : { command: next, all: next.commands }
          },
          { command: undefined, all },
        ).command
        const flags = words.filter((word) => word.startsWith('--'))
        const known = called?.options.map(({ long }) => long)
        expect(known, line).toEqual(expect.arrayContaining(flags))
      }
    }
  }
})

test('the help of the program is in groups', async () => {
  const help = readHelp(await createProgram(['--help']))

  expect(help.match(/^\w.*:$/gm)).toEqual([
    'Options:',
    'Start:',
    'Try it out:',
    'See what happened:',
    'Manage a server:',
    'Check an integration:',
    'Documents:',
    'Commands:',
    'Examples:',
  ])
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

test('a usage error names the help of its command', async () => {
  const program = await createProgram(['org', 'shwo'])
  let complaint = ''
  const org = program.commands.find((command) => command.name() === 'org')
  org?.configureOutput({ writeErr: (text) => (complaint += text) })
  await expect(program.parseAsync(['org', 'shwo'], { from: 'user' })).rejects.toThrow()
  expect(complaint).toContain('(Did you mean show?)\n(see wabakit org --help)')
})

test('exec shows its own defaults', async () => {
  const help = (await load('exec')).helpInformation().replace(/\s+/g, ' ')

  expect(help).toMatch(/--port <number> Port [^(]+\(default: 0\)/)
  expect(help).toMatch(/--database <text> [^(]+\(default: :memory:\)/)
  expect(help).toMatch(/--log-level <text> [^(]+\(default: warn\)/)
})
