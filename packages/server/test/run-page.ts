import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll } from 'vitest'
import { takeBlocks } from '../../../tools/code-blocks.ts'

const root = resolve(import.meta.dirname, '../../..')
const blocks = takeBlocks(import.meta.filename)

/** The pages with shell blocks. */
export const shellPages: readonly string[] = [...new Set(blocks.map(({ page }) => page))]

/** The shell blocks of a page, as one script. */
export const readShell = (page: string): string =>
  blocks.flatMap((block) => (block.page === page ? [block.code] : [])).join('\n')

/** Commands that a test must not run. A script replaces each: it records its arguments and our settings, and prints what the blocks read. */
const recorded = [
  ...['wabakit', 'npx', 'npm', 'node', 'git', 'curl', 'openssl', 'sleep', 'python3', 'docker'],
  ...['systemctl', 'systemd-analyze', 'haproxy', 'caddy', 'pg_dump'],
]
const recorder = `#!/bin/sh
{ env | grep ^WABAKIT_ | tr '\\n' '\\0'; printf '%s\\0' "\${0##*/}" "$@"; printf '\\n\\0'; } >> "$RECORD"
case "\${0##*/} $1" in
  'wabakit --version') echo 1.2.3 ;;
  'node -p') exec "$NODE" "$@" ;;
  'openssl rand') printf '%064d\\n' 7 ;;
  'git clone') mkdir -p wabakit/examples && cp -r "$ROOT/examples/deploy" wabakit/examples ;;
esac
`

const folder = mkdtempSync(join(tmpdir(), 'wabakit-guides-'))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'bin'))
for (const name of recorded) {
  writeFileSync(join(folder, 'bin', name), recorder)
  chmodSync(join(folder, 'bin', name), 0o755)
}

type Recorded = {
  readonly name: string
  readonly args: readonly string[]
  /** The variables with our prefix. */
  readonly environment: Readonly<Record<string, string>>
}

/** Runs the shell blocks of a page in one shell, as a reader does. Returns its folder, and the recorded commands. */
export const runPage = (
  page: string,
): { readonly machine: string; readonly commands: readonly Recorded[] } => {
  const machine = mkdtempSync(join(folder, 'machine-'))
  for (const path of ['etc/systemd/system', 'opt', 'var/lib/wabakit', 'home/.zfunc', 'backups'])
    mkdirSync(join(machine, path), { recursive: true })
  for (const path of ['.local/share/bash-completion/completions', '.config/fish/completions'])
    mkdirSync(join(machine, 'home', path), { recursive: true })
  for (const name of ['wabakit.db', 'wabakit-2026-01-01T03-00-00Z.db'])
    writeFileSync(join(machine, 'var/lib/wabakit', name), '')
  const script = readShell(page).replaceAll(/(?<![\w.])\/(?=(?:etc|opt|var|backups|data)\/)/g, `${machine}/`)
  const RECORD = join(machine, 'record')
  writeFileSync(RECORD, '')
  execFileSync('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', script], {
    // With a socket as its input, bash would read its settings.
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: machine,
    env: {
      PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
      HOME: join(machine, 'home'),
      RECORD,
      ROOT: root,
      NODE: process.execPath,
      // What the reader has.
      KEY: 'a-key',
      WEBHOOK_TOKEN: 'a-token',
      WABAKIT_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
  })
  const records = readFileSync(RECORD, 'utf8').split('\n\0').slice(0, -1)
  const commands = records.map((record) => {
    const words = record.split('\0').slice(0, -1)
    const count = words.findIndex((word) => !word.startsWith('WABAKIT_'))
    const environment = Object.fromEntries(words.slice(0, count).map((word) => word.split(/=(.*)/s)))
    const [name = '', ...args] = words.slice(count)
    return { name, args, environment }
  })
  return { machine, commands }
}
