import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Setting, settings } from '../src/index.ts'
import { createGroup, start } from './fixture.ts'

const file = resolve(import.meta.dirname, '../../../docs/running-the-server.md')

const table = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** The page with the part between two marks replaced. */
const withPart = (page: string, name: string, part: string): string =>
  page.replace(
    new RegExp(`(<!-- ${name} -->\n)[^]*(<!-- /${name} -->)`),
    (_, open, close) => `${open}${part}\n${close}`,
  )

const code = (text: string): string => `\`${text}\``

const defaultOf = ({ default: value, otherwise }: Setting): string =>
  otherwise ?? (Array.isArray(value) ? 'none' : code(String(value)))

const settingsTable = (): string =>
  table([
    ['Setting', 'Flag, variable', 'Default', 'Meaning'],
    ['---', '---', '---', '---'],
    ...settings.map((setting) => [
      code(setting.name),
      setting.flag === undefined ? 'file only' : `${code(setting.flag)}<br>${code(setting.variable ?? '')}`,
      defaultOf(setting),
      `${setting.about} ${setting.form.charAt(0).toUpperCase()}${setting.form.slice(1)}.`,
    ]),
  ])

const metricsTable = (metrics: string): string => {
  const facts = [...metrics.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)]
  return table([
    ['Name', 'Kind', 'Meaning'],
    ['---', '---', '---'],
    ...facts.map(([, name = '', help = '', kind = '']) => [code(name), kind, help]),
  ])
}

// `vitest run packages/server/test/documentation.test.ts -u` writes the page.
test('the page on running the server has every setting and every figure as they are', async () => {
  const { url } = await start()
  await createGroup(url)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const page = readFileSync(file, 'utf8')

  const current = withPart(withPart(page, 'settings', settingsTable()), 'metrics', metricsTable(metrics))

  await expect(current).toMatchFileSnapshot(file)
})
