import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
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
