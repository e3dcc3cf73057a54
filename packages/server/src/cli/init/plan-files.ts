import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, type Stats } from 'node:fs'
import { basename, join } from 'node:path'
import { CliError, exitCodes } from '../output.ts'
import { type Framework, frameworks, type NewFile } from './frameworks.ts'
import { type Project, readProject } from './read-project.ts'
import { writeMemory } from './receiver-parts.ts'
import { type SenderKind, senders } from './senders.ts'
import { findStyle, formatModule, type Style, toRequire } from './style.ts'
import { type ReceiverChoices, writeReceiver } from './write-receiver.ts'

/** The user's answers. */
export type Choices = {
  /** @default 'url' */
  readonly verify?: SenderKind | undefined
  /** Stores each webhook before the response. @default true, if the framework can have an inbox */
  readonly inbox?: boolean | undefined
}

const getExport = ({ isLazy, isInjected }: Framework): string => {
  if (isInjected) return 'Webhooks'
  return isLazy ? 'getReceiver' : 'receiver'
}

const writeTest = (
  { sender, hasInbox }: ReceiverChoices,
  { framework, project, path }: { framework: Framework; project: Project; path: string },
): string => {
  const name = getExport(framework)
  const { clean, close } = writeMemory(hasInbox, project)
  const header = sender.header?.('test')
  const secret = sender.isInUrl ? "'test-token-of-the-url'" : header === undefined ? 'mock.secret' : "'test'"
  const [receiver, database] = framework.isInjected
    ? ['webhooks.receiver', 'webhooks.database']
    : [framework.isLazy ? `getReceiver(${secret})` : 'receiver', 'database']
  const url = "{ url: 'https://example.com/webhooks?token=test-token-of-the-url' }"
  const deliver = sender.isInUrl
    ? `mock.deliverTo(${receiver}, ${url})`
    : header === undefined
      ? `mock.deliverTo(${receiver})`
      : `await mock.subscribe({ receiver: ${receiver}, headers: { '${header[0]}': '${header[1]}' } })`
  const setSecret = framework.isLazy ? '' : `    process.env.${sender.variable} = ${secret}\n`
  const drain = `    // The inbox has stored it. Now it is handled.
    expect((await ${receiver}.drain({ maxMs: 10_000 })).remaining).toBe(0)
`
  const ends = [
    ...(clean === undefined ? [] : [`await ${database}.${clean}`]),
    ...(framework.isInjected ? ['await webhooks.onApplicationShutdown()'] : []),
    ...(close === undefined || framework.isInjected
      ? []
      : ['await receiver.stop()', `await database.${close}`]),
    'await mock.close()',
  ]
  const imported = hasInbox && !framework.isInjected ? `database, ${name}` : name
  return `import { expect, test } from '${project.runner === 'jest' ? '@jest/globals' : 'vitest'}'
import { createMock } from 'wabakit/mock'
import { ${imported} } from '${path}'

test('the receiver handles the summary of a call', async () => {
  const mock = await createMock()
${framework.isInjected ? '  const webhooks = new Webhooks()\n' : ''}  try {
${setSecret}    ${deliver}

    const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
    await mock.clock.advance('30s')

    const delivery = await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
    expect(delivery.acknowledged).toBe(true)
${hasInbox ? drain : ''}  } finally {
${ends.map((line) => `    ${line}\n`).join('')}  }
})
`
}

const writeVariables = (variable: string): NewFile => ({
  path: '.env.wabakit.example',
  text: `# For wabakit. Copy what you need to your environment; npx @wabakit/server --webhook-url <url> prints the key and the
# secret of a local server.
WABAKIT_BASE_URL=http://127.0.0.1:4100
WABAKIT_API_KEY=
${variable}=
`,
})

/**
 * Lists the lines to add to the application: the code that uses or starts the receiver, and its import unless the planned
 * files do both.
 */
const listNextLines = (
  framework: Framework,
  { style, sender, hasInbox, runner }: ReceiverChoices & Pick<Project, 'runner'> & { style: Style },
): readonly string[] => {
  const { receiver, route, start, nextStep, isInjected } = framework
  const startsByHand = hasInbox && !isInjected && start === undefined
  // Assumes that the main file of the application is next to the folder of the receiver.
  const location = `./${receiver.replace(/^src\//, '')}${style.ending}`
  const lines = [
    ...((route === undefined || startsByHand) && !isInjected
      ? [`import { ${getExport(framework)} } from '${location}'`]
      : []),
    ...nextStep.map((line) => line.replace('VARIABLE', sender.variable).replace('ENDING', style.ending)),
    ...(startsByHand ? ['receiver.start() // once, when the process starts: handles what is stored'] : []),
    ...(runner === 'jest' && style.extension === 'ts' && style.ending === '.js'
      ? [
          '// jest.config: otherwise jest finds no .ts file that is imported as .js',
          "moduleNameMapper: { '^([.]{1,2}/.*)[.]js$': '$1' },",
        ]
      : []),
  ]
  return style.isRequiring || style.extension === 'mjs' ? lines.map(toRequire) : lines
}

const readStats = (folder: string, path: string): Stats | undefined =>
  lstatSync(join(folder, path), { throwIfNoEntry: false })

/** Throws a CliError if a folder in a path is a symbolic link, which may lead out of the project. */
const assertNoLinks = (folder: string, path: string): void => {
  const parts = path.split('/')
  for (let count = 1; count < parts.length; count++) {
    const parent = parts.slice(0, count).join('/')
    if (readStats(folder, parent)?.isSymbolicLink()) {
      const message = `${parent} is a symbolic link. Nothing was written: replace it by a folder, or write the files yourself.`
      throw new CliError(message)
    }
  }
}

/** Finds a project's framework. Throws a CliError if it uses no supported one. */
const findFramework = ({ dependencies }: Project): Framework => {
  const framework = frameworks.find(({ dependency }) => dependencies.has(dependency))
  if (framework !== undefined) return framework
  const names = frameworks.map(({ name }) => name).join(', ')
  const message = `This project uses none of ${names}. See https://github.com/wabakit/wabakit/blob/main/docs/reference/frameworks.md for others, such as node:http, and AWS Lambda with and without an inbox.`
  throw new CliError(message, exitCodes.usage)
}

const getInstall = (
  { runner, dependencies, hasNodeTypes }: Project,
  { needsNodeTypes }: { needsNodeTypes: boolean },
): string => {
  const tools = [
    ...(dependencies.has(runner) ? [] : [runner]),
    ...(needsNodeTypes && !hasNodeTypes ? ['@types/node@latest'] : []),
  ]
  return [
    'npm install wabakit',
    ...(tools.length > 0 ? [`npm install --save-dev ${tools.join(' ')}`] : []),
  ].join(' && ')
}

/**
 * Detects a project's framework, modules and test runner, and plans its files. Existing files are kept.
 *
 * @throws CliError if the folder contains no project, the project uses no supported framework, an inbox was requested for a
 *   framework that cannot have one, or a folder for a new file is a symbolic link.
 */
export const planFiles = (folder: string, { verify = 'url', inbox: wished }: Choices = {}) => {
  const project = readProject(folder)
  const framework = findFramework(project)
  const inbox = wished ?? framework.isLazy === undefined
  if (inbox && framework.isLazy)
    throw new CliError(`${framework.name} has no database for an inbox.`, exitCodes.usage)
  const style = findStyle(framework, project)
  const choices = { sender: senders[verify], hasInbox: inbox }
  const { receiver, route, start, sources = [] } = framework
  const prefix = sources.some((path) => existsSync(join(folder, path))) ? 'src/' : ''
  const isTyped = style.extension === 'ts'
  const module = writeReceiver(choices, { framework, project, isTyped })
  const placed = [{ path: `${receiver}.${style.extension}`, text: formatModule(module, style) }]
  if (route !== undefined) placed.push(route(style))
  if (start !== undefined && inbox) placed.push(start(style))
  // NestJS looks for *.spec.ts in src, whatever its runner is.
  const isBeside = framework.isInjected || project.testsAreInSources
  const testPath = isBeside ? `${prefix}${receiver}.spec` : 'test/wabakit.test'
  const path = isBeside ? `./${basename(receiver)}${style.ending}` : `../${prefix}${receiver}${style.ending}`
  const test = writeTest(choices, { framework, project, path })
  const wanted = [
    ...placed.map(({ path, text }) => ({ path: prefix + path, text })),
    { path: `${testPath}.${style.extension}`, text: formatModule(test, style) },
    writeVariables(choices.sender.variable),
  ]
  // A symbolic link without a target also counts as an existing file.
  const exists = ({ path }: NewFile): boolean => readStats(folder, path) !== undefined
  const files = wanted.filter((file) => !exists(file))
  for (const { path } of files) assertNoLinks(folder, path)
  return {
    framework,
    files,
    kept: wanted.filter(exists).map(({ path }) => path),
    /** The command that installs wabakit, and what else the files need and the project lacks. */
    install: getInstall(project, { needsNodeTypes: isTyped && framework.isLazy === undefined }),
    nextLines: listNextLines(framework, { style, ...choices, runner: project.runner }),
    runner: project.runner,
    header: choices.sender.header?.('…'),
    variable: choices.sender.variable,
    /** The port on which the framework listens during development. */
    port: framework.port ?? 3000,
    /** The inbox's database, as an argument of `wabakit inbox`; `undefined` without an inbox. */
    database: writeMemory(inbox, project).shown,
    /** A new secret with 128 random bits, for the query of the webhook's URL; `false` if the sender authenticates in another way. */
    token: choices.sender.isInUrl && randomBytes(16).toString('hex'),
  }
}

/** What `init` writes to a project, which existing files it keeps, and what it tells the user. */
export type Plan = ReturnType<typeof planFiles>
