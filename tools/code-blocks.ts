import { globSync, readFileSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** A fenced block of a page. */
export type CodeBlock = {
  readonly page: string
  /** The line of its fence, from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
}

/** The blocks of a language on a page, or only the one with a text. `*` stands for every language, or for every page that no other test names. */
type Share = readonly [language: string, page: string, text?: string]

/** Which test runs which blocks. A test takes its blocks from here, unless it writes or compares the whole page. */
export const shares: Readonly<Record<string, readonly Share[]>> = {
  // The build of the site draws diagrams, and fails if it cannot.
  'docs/.vitepress/diagrams.ts': [['mermaid', 'docs/architecture.md']],
  'examples/queues/queues.test.ts': [['ts', 'docs/queues.md']],
  'packages/client/test/readme.test.ts': [['ts', 'packages/client/README.md']],
  'packages/conformance/test/readme.isolated.test.ts': [['ts', 'packages/conformance/README.md']],
  'packages/contract/test/doc-comments.test.ts': [
    ['json', 'docs/reference/errors.md'],
    ['json', 'docs/reference/events.md'],
    ['json', 'docs/reference/health-events.md'],
  ],
  'packages/core/test/delivery-states.test.ts': [['mermaid', 'docs/architecture.md', 'stateDiagram']],
  'packages/core/test/readme.test.ts': [['ts', 'packages/core/README.md']],
  'packages/mock/test/docs.test.ts': [['ts', 'docs/testing.md', "from 'vitest'"]],
  'packages/server/src/stores/postgres/plans.test.ts': [['sql', '*']],
  'packages/server/test/cli/ci-page.isolated.test.ts': [['yaml', 'docs/ci.md']],
  'packages/server/test/cli/guide-sessions.isolated.test.ts': [
    ['console', 'docs/cli.md'],
    ['json', 'docs/cli.md'],
  ],
  'packages/server/test/cli/guide-walks.isolated.test.ts': [
    ['sh', 'docs/start.md'],
    ['ts', 'docs/start.md'],
    ['', 'docs/start.md'],
    ['sh', 'examples/orders/README.md'],
  ],
  'packages/server/test/deploy.test.ts': [['promql', 'docs/monitoring.md']],
  'packages/server/test/documentation.test.ts': [
    ['json', 'docs/running-the-server.md'],
    ['json', 'docs/vendor.md'],
    ['text', 'docs/reference/commands.md'],
  ],
  'packages/server/test/guide-backups.long.test.ts': [
    ['sh', 'docs/backups.md', 'pg_dump'],
    ['sh', 'docs/backups.md', 'pg_basebackup'],
  ],
  'packages/server/test/guide-commands.test.ts': [
    ['sh', 'docs/control-api.md'],
    ['yaml', 'docs/testing.md'],
  ],
  'packages/server/test/guide-proxies.ts': [['', 'docs/deploying.md']],
  'packages/server/test/inspector/mock.browser.test.ts': [['', 'docs/troubleshooting.md', 'CORS policy']],
  'packages/server/test/run-page.ts': [['sh', '*']],
  'packages/wabakit/test/readme.test.ts': [
    ['ts', '*'],
    ['js', '*'],
  ],
  'packages/webhooks/test/readme.test.ts': [
    ['ts', 'packages/webhooks/README.md'],
    ['ts', 'docs/reference/receiver.md'],
    ['ts', 'docs/reference/inbox.md'],
    ['ts', 'docs/testing.md', "from 'pg'"],
    ['', 'docs/troubleshooting.md', 'A webhook was rejected'],
    ['ts', 'docs/troubleshooting.md', 'DriftedEvent'],
  ],
  'tools/cluster-simulation/test/cases.test.ts': [['', 'docs/internals/simulation.md']],
  'tools/frameworks/page.test.ts': [['*', 'docs/reference/frameworks.md']],
  'tools/packed/packed.packed.test.ts': [
    ['js', 'packages/server/README.md'],
    ['', 'packages/server/README.md'],
    ['', 'docs/start.md'],
  ],
}

const readPage = (page: string): CodeBlock[] => {
  const text = readFileSync(resolve(root, page), 'utf8')
  const blocks = [...text.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)]
  if (blocks.length * 2 !== (text.match(/^ *```/gm) ?? []).length)
    throw new Error(`${page} has a fence that this cannot read.`)
  return blocks.map(({ 2: language = '', 3: code = '', index }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    language,
    code,
  }))
}

/** The blocks of all pages. */
export const codeBlocks: readonly CodeBlock[] = globSync(
  [
    '*.md',
    'docs/{,decisions/,internals/,reference/}*.md',
    'packages/*/{AGENTS,README}.md',
    'examples/**/README.md',
  ],
  { cwd: root, exclude: (path) => path.includes('node_modules') },
)
  .map((page) => page.replaceAll(sep, '/'))
  .toSorted()
  .flatMap(readPage)

const matches = ({ page, language, code }: CodeBlock, [of, on, text = '']: Share): boolean =>
  (of === '*' || of === language) && (on === '*' || on === page) && code.includes(text)

/** Returns the tests that run a block. */
export const listTests = (block: CodeBlock): string[] => {
  const list = (isShare: (share: Share) => boolean): string[] =>
    Object.entries(shares).flatMap(([test, own]) => (own.some(isShare) ? [test] : []))
  const named = list((share) => share[1] !== '*' && matches(block, share))
  return named.length > 0 ? named : list((share) => matches(block, share))
}

/**
 * Returns the blocks that a test runs, page by page. A test that does not run whatever is there says how many it runs: with a
 * further block on its pages, this throws.
 */
export const takeBlocks = (file: string, count?: number): CodeBlock[] => {
  const test = relative(root, file).replaceAll(sep, '/')
  const blocks = codeBlocks.filter((block) => listTests(block).includes(test))
  if (count === undefined || count === blocks.length) return blocks
  const places = blocks.map(({ page, line }) => `${page}:${line}`).join(', ')
  throw new Error(`${test} runs ${count} code blocks, but its pages have ${blocks.length}: ${places}.`)
}
