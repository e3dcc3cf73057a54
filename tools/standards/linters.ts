import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const here = import.meta.dirname
const { resolve: find } = createRequire(join(here, 'package.json'))

/** A linter's finding in a document. */
export type Finding = { readonly rule: string; readonly place: string; readonly message: string }

/** Runs a linter's command, and returns its output. Linters that find something exit with 1. */
const runLinter = async (packageName: string, command: string, args: readonly string[]): Promise<string> => {
  const folder = dirname(find(`${packageName}/package.json`))
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const options = { cwd: here, env, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await run(process.execPath, [join(folder, command), ...args], options).catch((error) => {
    if (error.stdout === '') throw error
    return error
  })
  return stdout
}

/** Lints an OpenAPI document with Redocly's recommended rules. */
export const lintWithRedocly = async (file: string): Promise<Finding[]> => {
  const printed = await runLinter('@redocly/cli', 'bin/cli.js', [
    ...['lint', file, '--extends=recommended', '--format=json', '--max-problems=10000'],
  ])
  const { problems }: { problems: { ruleId: string; message: string; location: { pointer?: string }[] }[] } =
    JSON.parse(printed)
  return problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    place: location[0]?.pointer ?? '',
    message,
  }))
}

/** Lints an OpenAPI or AsyncAPI document with the rules that come with Spectral. */
export const lintWithSpectral = async (file: string): Promise<Finding[]> => {
  const rules = resolve(dirname(file), 'spectral.json')
  writeFileSync(rules, JSON.stringify({ extends: ['spectral:oas', 'spectral:asyncapi'] }))
  const args = ['lint', file, '--ruleset', rules, '--format', 'json', '--quiet']
  const printed = await runLinter('@stoplight/spectral-cli', 'dist/index.js', args)
  const findings: { code: string; message: string; path: string[] }[] = JSON.parse(printed)
  return findings.map(({ code, message, path }) => ({ rule: code, place: path.join('/'), message }))
}

type AsyncApiParser = {
  parse(document: string): Promise<{
    readonly diagnostics: readonly { code: string; message: string; path: readonly string[] }[]
  }>
}

/** Parses an AsyncAPI document with the parser of the AsyncAPI Initiative. */
export const lintWithAsyncApiParser = async (document: unknown): Promise<Finding[]> => {
  const { Parser }: { Parser: new () => AsyncApiParser } = createRequire(join(here, 'package.json'))(
    '@asyncapi/parser',
  )
  const { diagnostics } = await new Parser().parse(JSON.stringify(document))
  return diagnostics.map(({ code, message, path }) => ({ rule: code, place: path.join('/'), message }))
}

/** Lints a Dockerfile. */
export const lintDockerfile = async (file: string): Promise<Finding[]> => {
  const printed = await runLinter('dockerfilelint', 'bin/dockerfilelint', ['--output', 'json', file])
  const { files }: { files: { issues: { line: string; title: string; description: string }[] }[] } =
    JSON.parse(printed)
  return files.flatMap(({ issues }) =>
    issues.map(({ line, title, description }) => ({
      rule: title,
      place: `line ${line}`,
      message: description,
    })),
  )
}
