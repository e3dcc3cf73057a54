import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { wabakit } from './wabakit.ts'

const modules = async (args: readonly string[]): Promise<string[]> => {
  const hook = pathToFileURL(join(import.meta.dirname, 'print-modules.ts'))
  const { stderr } = await wabakit(args, { env: { NODE_OPTIONS: `--import=${hook}` } })
  return [...stderr.matchAll(/^loads (\S+)$/gm)].map(([, url = '']) => url)
}

test('help loads no command, and a server on SQLite neither PostgreSQL nor a migration', async () => {
  const [help, serve] = await Promise.all([
    modules(['--help']),
    modules(['serve', '--port', '0', '--database', 'nowhere/x.db', '--log-level', 'silent']),
  ])

  expect(help.filter((url) => /\/cli\/program\.ts$/.test(url))).toHaveLength(1)
  expect(help.filter((url) => /\/cli\/(?!main|run|program|cli-error)\w/.test(url))).toEqual([])
  expect(
    help.filter((url) => /\/(?:serve|http|control|sqlite|postgres|migrate-database)\/(?!errors\/)/.test(url)),
  ).toEqual([])
  expect(serve.filter((url) => /\/sqlite\/open-database\.ts$/.test(url))).toHaveLength(1)
  expect(serve.filter((url) => /\/node_modules\/pg\/|\/src\/migrate-database\//.test(url))).toEqual([])
})

test('Node.js says nothing about SQLite, and its other warnings are shown', async () => {
  const warn = ['SQLite is an experimental feature and might change at any time', 'Another warning']
    .map((warning) => `process.emitWarning('${warning}', 'ExperimentalWarning')`)
    .join('; ')
  const hook = `data:text/javascript,${encodeURIComponent(`process.once('beforeExit', () => { ${warn} })`)}`
  const { stderr } = await wabakit(['--version'], { env: { NODE_OPTIONS: `--import=${hook}` } })

  expect(stderr).toContain('ExperimentalWarning: Another warning')
  expect(stderr).not.toContain('SQLite')
})
