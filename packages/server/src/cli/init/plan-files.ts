import { existsSync, lstatSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { withoutBom } from '../../config/load-config.ts'
import { CliError, exitCodes } from '../output.ts'
import {
  type Framework,
  frameworks,
  getEnding,
  getExport,
  type Language,
  listNextLines,
  type NewFile,
  writeModule,
} from './frameworks.ts'

const buildTest = (
  framework: Framework,
  { prefix, language }: { prefix: string; language: Language },
): NewFile => {
  const name = getExport(framework)
  const receiver = name === 'receiver' ? name : `${name}(mock.secret)`
  return {
    path: `test/wabakit.test.${language}`,
    text: `import { expect, onTestFinished, test } from 'vitest'
import { createMock } from 'wabakit/mock'
import { ${name} } from '../${prefix}${framework.receiver}${getEnding(language)}'

test('the receiver handles the summary of a call', async () => {
  const mock = await createMock()
  onTestFinished(() => mock.close())
  process.env.WABAKIT_WEBHOOK_SECRET = mock.secret
  mock.deliverTo(${receiver})

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')

  const delivery = await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })
  expect(delivery.acknowledged).toBe(true)
})
`,
  }
}

const variables: NewFile = {
  path: '.env.wabakit.example',
  text: `# For wabakit. Copy what you need to your environment; npx @wabakit/server --webhook-url <url> prints the key and the
# secret of a local server.
WABAKIT_BASE_URL=http://127.0.0.1:4100
WABAKIT_API_KEY=
WABAKIT_WEBHOOK_SECRET=
`,
}

type Project = { readonly dependencies: ReadonlySet<string>; readonly isModule: boolean }

const readProject = (folder: string): Project => {
  const path = join(folder, 'package.json')
  try {
    const {
      dependencies = {},
      devDependencies = {},
      type,
    } = JSON.parse(withoutBom(readFileSync(path, 'utf8')))
    return {
      dependencies: new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)]),
      isModule: type === 'module',
    }
  } catch (cause) {
    const message = `${path} cannot be read. Run init in the folder of a project.`
    throw new CliError(message, exitCodes.usage, { cause })
  }
}

const findLanguage = (
  { language, route }: Framework,
  { folder, project }: { folder: string; project: Project },
): Language => {
  if (language !== undefined) return language
  if (project.dependencies.has('typescript') || existsSync(join(folder, 'tsconfig.json'))) return 'ts'
  // Frameworks with file-based routes bundle every .js file as a module.
  return project.isModule || route !== undefined ? 'js' : 'mjs'
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

/**
 * Detects a project's framework and plans its files. Existing files are kept.
 *
 * @throws CliError if the folder contains no project, the project uses no supported framework, or a file's path
 *   contains a symbolic link.
 */
export const planFiles = (folder: string) => {
  const project = readProject(folder)
  const { dependencies } = project
  const framework = frameworks.find(({ dependency }) => dependencies.has(dependency))
  if (framework === undefined) {
    const names = frameworks.map(({ name }) => name).join(', ')
    const message = `This project uses none of ${names}. See docs/reference/frameworks.md for others.`
    throw new CliError(message, exitCodes.usage)
  }
  const { receiver, route, sources = [] } = framework
  const language = findLanguage(framework, { folder, project })
  const prefix = sources.some((path) => existsSync(join(folder, path))) ? 'src/' : ''
  const placed = [{ path: `${receiver}.${language}`, text: writeModule(framework, language) }]
  if (route !== undefined) placed.push(route(language))
  const wanted = [
    ...placed.map(({ path, text }) => ({ path: prefix + path, text })),
    buildTest(framework, { prefix, language }),
    variables,
  ]
  // A symbolic link without a target also counts as an existing file.
  const exists = ({ path }: NewFile): boolean => readStats(folder, path) !== undefined
  const files = wanted.filter((file) => !exists(file))
  for (const { path } of files) assertNoLinks(folder, path)
  return {
    framework,
    files,
    kept: wanted.filter(exists).map(({ path }) => path),
    /** The command that installs the packages that the files import. */
    install: `npm install wabakit${dependencies.has('vitest') ? '' : ' && npm install --save-dev vitest'}`,
    nextLines: listNextLines(framework, language),
  }
}

/** The files that `init` writes to a project, and the existing files that it keeps. */
export type Plan = ReturnType<typeof planFiles>
