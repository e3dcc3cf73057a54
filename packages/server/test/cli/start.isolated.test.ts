import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { sourceCommand, wabakit } from './wabakit.ts'

const toModule = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`

const modules = async (args: readonly string[], preload = toModule('')): Promise<string[]> => {
  const hook = pathToFileURL(join(import.meta.dirname, 'print-modules.ts'))
  const env = { NODE_OPTIONS: `--import=${hook} --import=${preload}` }
  const { stderr } = await wabakit(args, { env, program: sourceCommand })
  return [...stderr.matchAll(/^loads (\S+)$/gm)].map(([, url = '']) => url)
}

test('help loads no command, and a server on SQLite loads neither PostgreSQL nor migrations', async () => {
  const [help, serve] = await Promise.all([
    modules(['--help']),
    modules(['serve', '--port', '0', '--database', 'nowhere/x.db', '--log-level', 'silent']),
  ])

  expect(help.filter((url) => /\/cli\/program\.ts$/.test(url))).toHaveLength(1)
  expect(help.filter((url) => /\/cli\/(?!main|run|program|output|name-inputs)\w/.test(url))).toEqual([])
  expect(
    help.filter((url) => /\/(?:serve|http|control|sqlite|postgres|migrate-database)\/(?!errors\/)/.test(url)),
  ).toEqual([])
  expect(serve.filter((url) => /\/sqlite\/open-database\.ts$/.test(url))).toHaveLength(1)
  expect(serve.filter((url) => /\/node_modules\/pg\/|\/src\/migrate-database\//.test(url))).toEqual([])
})

test('a server is ready before its control API is loaded, and never loads OpenTelemetry', async () => {
  const endWhenReady = toModule('process.stdout.write = () => process.exit()')
  const serve = ['serve', '--port', '0', '--database', ':memory:', '--log-level', 'silent']
  const loaded = await modules(serve, endWhenReady)

  expect(loaded.filter((url) => /\/metrics\/metrics\.ts$/.test(url))).toHaveLength(1)
  expect(
    loaded.filter((url) => /\/control-api\.ts|\/node_modules\/(?:hono|@opentelemetry)\//.test(url)),
  ).toEqual([])
})

test('a server that gets no request loads everything that a request or webhook needs', async () => {
  const endWhenLoaded = toModule(`
    import { registerHooks } from 'node:module'
    const missing = new Set(['control-api', '@hono/node-server', 'undici', 'guarded-connector'])
    registerHooks({
      load: (url, context, nextLoad) => {
        for (const name of missing) if (url.includes('/' + name)) missing.delete(name)
        if (missing.size === 0) process.exit()
        return nextLoad(url, context)
      },
    })`)
  const serve = ['serve', '--port', '0', '--database', ':memory:', '--log-level', 'silent']

  expect(await modules(serve, endWhenLoaded)).not.toEqual([])
})

test('Node.js prints no warning about SQLite, but other warnings are shown', async () => {
  const warn = ['SQLite is an experimental feature and might change at any time', 'Another warning']
    .map((warning) => `process.emitWarning('${warning}', 'ExperimentalWarning')`)
    .join('; ')
  const hook = toModule(`process.once('beforeExit', () => { ${warn} })`)
  const { stderr } = await wabakit(['--version'], { env: { NODE_OPTIONS: `--import=${hook}` } })

  expect(stderr).toContain('ExperimentalWarning: Another warning')
  expect(stderr).not.toContain('SQLite')
})
