import { globSync, readFileSync } from 'node:fs'
import { toRoute } from './routes.ts'

const root = new URL('../../', import.meta.url)

/** The pages of the sidebar, by task, in the order in which a reader needs them. A new page in `docs/` must be listed. */
const sections: Readonly<Record<string, readonly string[]>> = {
  'I receive': [
    'docs/start.md',
    'docs/vendor.md',
    'docs/authentication.md',
    'docs/reference/signatures.md',
    'docs/go-live.md',
    'packages/webhooks/README.md',
    'docs/reference/receiver.md',
    'docs/reference/inbox.md',
    'docs/reference/frameworks.md',
    'docs/orms.md',
    'examples/receivers/README.md',
    'docs/queues.md',
    'docs/reference/parsing.md',
    'docs/troubleshooting.md',
  ],
  'I send': ['packages/client/README.md', 'docs/reference/errors.md'],
  'I test': [
    'docs/testing.md',
    'docs/playground.md',
    'docs/ci.md',
    'docs/reference/mock.md',
    'docs/reference/live-profile.md',
    'docs/reference/faults.md',
    'packages/mock/README.md',
    'docs/is-my-webhook-endpoint-safe.md',
    'packages/conformance/README.md',
  ],
  'I run it': [
    'packages/server/README.md',
    'docs/running-the-server.md',
    'docs/deploying.md',
    'docs/inspector.md',
    'docs/monitoring.md',
    'docs/backups.md',
    'docs/personal-data.md',
    'docs/control-api.md',
    'docs/postgresql.md',
    'docs/scaling.md',
  ],
  'Look up': [
    'docs/reference/events.md',
    'docs/rules.md',
    'docs/reference/settings.md',
    'docs/cli.md',
    'docs/reference/commands.md',
    'docs/reference/health-events.md',
    'docs/versions.md',
    'docs/reference/compatibility.md',
    'docs/reliability.md',
    'docs/reference/performance.md',
    'SECURITY.md',
  ],
  'I contribute': [
    'CONTRIBUTING.md',
    'docs/architecture.md',
    'docs/glossary.md',
    'docs/decisions/README.md',
    'packages/contract/README.md',
    'packages/wire/README.md',
    'packages/core/README.md',
    'docs/internals/simulation.md',
    'docs/internals/reliability-figures.md',
    'docs/internals/mutation.md',
    'docs/internals/tried.md',
  ],
}

/** A page of the sidebar. `about` is the first sentence of the page. */
export type Guide = { readonly title: string; readonly file: string; readonly about: string }

export type Section = { readonly title: string; readonly guides: readonly Guide[] }

const readGuide = (file: string): Guide => {
  const page = readFileSync(new URL(file, root), 'utf8')
  const title = /^# (.*)$/m.exec(page)?.[1]
  if (title === undefined) throw new Error(`${file} has no title`)
  const paragraph = /^# .*\n+(?:<!--[^>]*-->\n+)?([A-Z`*[][^\n]*(?:\n[^\n]+)*)/m.exec(page)?.[1] ?? ''
  const [about = ''] = paragraph
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll('\n', ' ')
    .split(/(?<=[.:]) (?=[A-Z`])/)
  // A sidebar would print the backticks.
  const name = title.replace('@wabakit/', '').replaceAll('`', '')
  return { title: name.charAt(0).toUpperCase() + name.slice(1), file, about }
}

/** Reads the pages of the sidebar. `llms.txt` lists the same. */
export const readSections = (): Section[] => {
  const listed = Object.values(sections).flat()
  const others = globSync('docs/{,reference/,internals/}*.md', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file !== 'docs/README.md' && !listed.includes(file))
  if (others.length > 0) throw new Error(`List ${others.join(', ')} in docs/.vitepress/guides.ts`)
  return Object.entries(sections).map(([title, files]) => ({ title, guides: files.map(readGuide) }))
}

/** Builds the sidebar of the guides. */
export const buildSidebar = () =>
  readSections().map(({ title, guides }) => ({
    text: title,
    items: guides.map((guide) => ({
      text: guide.title,
      link: `/${toRoute(guide.file).replace(/(?:index)?\.md$/, '')}`,
    })),
  }))
