import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Setting, settings } from '../src/index.ts'
import { createGroup, start } from './fixture.ts'

const file = resolve(import.meta.dirname, '../../../docs/running-the-server.md')

const table = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** Replaces the part of a page between two marks. */
const replacePart = (page: string, name: string, part: string): string =>
  page.replace(
    new RegExp(`(<!-- ${name} -->\n)[^]*(<!-- /${name} -->)`),
    (_, open, close) => `${open}${part}\n${close}`,
  )

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
      return `#### ${code(name)}\n${about}\n\n${facts.join(' · ')}\n`
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

// `vitest run packages/server/test/documentation.test.ts -u` writes the page.
test('the page on running the server describes every setting and every metric', async () => {
  const { url } = await start()
  await createGroup(url)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const page = readFileSync(file, 'utf8')

  const current = replacePart(
    replacePart(page, 'settings', formatSettings()),
    'metrics',
    formatMetrics(metrics),
  )

  await expect(current).toMatchFileSnapshot(file)
})
