import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CliError, exitCodes } from '../cli-error.ts'
import { type Framework, frameworks, type NewFile } from './frameworks.ts'

/** What `init` writes into a project, and what it leaves alone. */
export type Plan = {
  readonly framework: Framework
  readonly files: readonly NewFile[]
  /** The paths of files that exist already. */
  readonly kept: readonly string[]
  /** The command that installs what the files import. */
  readonly install: string
}

const test: NewFile = {
  path: 'test/wabakit.test.ts',
  text: `import { expect, test } from 'vitest'
import { createMock } from 'wabakit/mock'
import { createReceiver, memoryDedupe, standardWebhooks } from 'wabakit/webhooks'

test('the summary of a call arrives', async () => {
  await using mock = await createMock()
  const recaps: string[] = []
  const verify = standardWebhooks({ secrets: [mock.secret] })
  const receiver = createReceiver({ verify, dedupe: memoryDedupe() })
  mock.deliverTo(receiver.on('CALL_AI_SUMMARY', ({ summary }) => void recaps.push(summary.recap)))

  const { callId } = await mock.simulateCall({ summary: { recap: 'Wants a refund.', after: '30s' } })
  await mock.clock.advance('30s')
  await mock.waitForDelivery('CALL_AI_SUMMARY', { callId })

  expect(recaps).toEqual(['Wants a refund.'])
})
`,
}

const variables: NewFile = {
  path: '.env.wabakit.example',
  text: `# For wabakit. Copy what you need to your environment; wabakit serve prints the values of a local server.
WABAKIT_BASE_URL=http://127.0.0.1:4100
WABAKIT_API_KEY=
WABAKIT_WEBHOOK_SECRET=
`,
}

const readDependencies = (folder: string): ReadonlySet<string> => {
  const path = join(folder, 'package.json')
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(path, 'utf8'))
    return new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)])
  } catch (cause) {
    throw new CliError(`${path} cannot be read. Run init in the folder of a project.`, exitCodes.usage, {
      cause,
    })
  }
}

/**
 * Finds the framework of a project and plans its files. Files that exist are left alone.
 *
 * @throws CliError if there is no project, or none of a known framework.
 */
export const planFiles = (folder: string): Plan => {
  const dependencies = readDependencies(folder)
  const framework = frameworks.find(({ dependency }) => dependencies.has(dependency))
  if (framework === undefined) {
    const names = frameworks.map(({ name }) => name).join(', ')
    throw new CliError(
      `This project uses none of ${names}. See docs/frameworks.md for others.`,
      exitCodes.usage,
    )
  }
  const { files, sources = [] } = framework
  const prefix = sources.some((path) => existsSync(join(folder, path))) ? 'src/' : ''
  const wanted = [...files.map(({ path, text }) => ({ path: prefix + path, text })), test, variables]
  const exists = ({ path }: NewFile): boolean => existsSync(join(folder, path))
  return {
    framework,
    files: wanted.filter((file) => !exists(file)),
    kept: wanted.filter(exists).map(({ path }) => path),
    install: `npm install wabakit${dependencies.has('vitest') ? '' : ' && npm install --save-dev vitest'}`,
  }
}
