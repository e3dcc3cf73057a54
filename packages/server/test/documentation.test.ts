import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createEmptyProfile, MeasuredProfile } from '@wabakit/contract/profile'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { takeBlocks } from '../../../tools/code-blocks.ts'
import { createProgram } from '../src/cli/program.ts'
import { ServerConfig } from '../src/config/server-config.ts'
import { type Setting, settings } from '../src/config/settings.ts'
import { createGroup, start } from './fixture.ts'

const docs = resolve(import.meta.dirname, '../../../docs')

const table = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** Expects a page to contain this part between two markers. */
const expectPart = async (file: string, name: string, part: string): Promise<void> => {
  const marks = new RegExp(`(<!-- ${name} -->\n)[^]*(<!-- /${name} -->)`)
  const page = readFileSync(`${docs}/${file}`, 'utf8')
  const current = page.replace(marks, (_, open, close) => `${open}${part}\n${close}`)
  await expect(current).toMatchFileSnapshot(`${docs}/${file}`)
}

const code = (text: string): string => `\`${text}\``

const formatDefault = ({ default: value, otherwise }: Setting): string =>
  otherwise ?? (Array.isArray(value) ? 'none' : code(String(value)))

const formatSettings = (): string =>
  settings
    .map((setting) => {
      const { name, about, form, flag, variable } = setting
      const sources =
        flag === undefined || variable === undefined ? ['file only'] : [code(flag), code(variable)]
      const facts = [...sources, form, `default: ${formatDefault(setting)}`]
      return `## ${code(name)}\n${about}\n\n${facts.join(' · ')}\n`
    })
    .join('\n')

const formatMetrics = (metrics: string): string => {
  const facts = [...metrics.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)]
  return table([
    ['Name', 'Kind', 'Meaning'],
    ['---', '---', '---'],
    ...facts.map(([, name = '', help = '', kind = '']) => [code(name), kind, help]),
  ])
}

/** Returns what `--help` prints, on a terminal with 80 columns and without colors. */
const readHelp = (command: Command): string => {
  let help = ''
  command.configureOutput({
    writeOut: (text) => {
      help += text
    },
    getOutHelpWidth: () => 80,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  return help.trim()
}

const formatCommand = (command: Command, depth = 2): string => {
  const path = /^Usage: wabakit (.*?)(?: \[| <|$)/m.exec(readHelp(command))?.[1] ?? command.name()
  const help = readHelp(command)
  return [
    `${'#'.repeat(depth)} ${path}\n\n${'```'}text\n${help}\n${'```'}\n`,
    ...command.commands.map((inner) => formatCommand(inner, depth + 1)),
  ].join('\n')
}

const formatCommands = async (): Promise<string> => {
  const { commands } = await createProgram(['--help'])
  const sections = commands.map(async (listed) => {
    const program = await createProgram([listed.name()])
    return program.commands
      .filter((command) => command.name() === listed.name())
      .map((command) => formatCommand(command))
  })
  return (await Promise.all(sections)).flat().join('\n')
}

// `vitest run packages/server/test/documentation.test.ts -u` updates the pages.
test('the page of settings describes every setting', async () => {
  await expectPart('reference/settings.md', 'settings', formatSettings())
})

test('the page on monitoring describes every metric', async () => {
  const { url } = await start()
  await createGroup(url)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  await expectPart('monitoring.md', 'metrics', formatMetrics(metrics))
})

test('the page of commands has the help of every command', async () => {
  await expectPart('reference/commands.md', 'commands', await formatCommands())
})

test('the help of exec lists the flags that a suite needs, and names serve for the others', async () => {
  const listFlags = async (name: string): Promise<string[]> => {
    const { commands } = await createProgram([name])
    const command = commands.find((each) => each.name() === name)
    return (command === undefined ? '' : readHelp(command)).match(/^ {2}--[\w-]+/gm) ?? []
  }
  const [ofServe, ofExec] = [await listFlags('serve'), await listFlags('exec')]
  expect(ofServe.length).toBeGreaterThanOrEqual(settings.filter(({ flag }) => flag !== undefined).length)
  expect(ofExec.filter((flag) => ofServe.includes(flag)).length).toBeLessThan(12)
  const page = readFileSync(`${docs}/reference/commands.md`, 'utf8')
  expect(page.match(/^All other flags of `wabakit serve` work, too\.$/gm)).toHaveLength(1)
})

const readJson = (page: string): unknown[] =>
  takeBlocks(import.meta.filename)
    .filter((block) => block.page === page && block.language === 'json')
    .map(({ code }) => JSON.parse(code))

test('the configuration of the guide and the statement in a measured profile are valid', () => {
  const configurations = readJson('docs/running-the-server.md').map((value) => ServerConfig.safeParse(value))
  const profiles = readJson('docs/vendor.md').map((value) =>
    MeasuredProfile.safeParse({ ...createEmptyProfile(), ...Object(value) }),
  )
  expect([...configurations, ...profiles]).toMatchObject([{ success: true }, { success: true }])
})

test('there are at most 27 guides with 30,000 words, and 66 records', () => {
  const guides = globSync('*.md', { cwd: docs }).map((page) => readFileSync(resolve(docs, page), 'utf8'))
  const words = guides.flatMap((guide) => guide.match(/\S+/g) ?? [])
  expect(guides.length).toBeLessThanOrEqual(27)
  expect(words.length).toBeLessThanOrEqual(30_000)
  expect(globSync('decisions/[0-9]*.md', { cwd: docs }).length).toBeLessThanOrEqual(66)
})
