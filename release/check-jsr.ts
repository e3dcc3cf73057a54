import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join, resolve } from 'node:path'
import { listJsrPackages } from './jsr.ts'

// Lets Deno check what would be published on JSR: that it compiles, and that the types of all exports are explicit. It
// uses the matrix's Deno, or else the installed one.
const root = resolve(import.meta.dirname, '..')
const workspace = mkdtempSync(join(tmpdir(), 'wabakit-jsr-'))
const matrix = join(root, 'packages/wabakit/test/matrix/node_modules/.bin')

try {
  const packages = listJsrPackages(root)
  for (const { folder } of packages) {
    for (const part of ['src', 'package.json', 'jsr.json', 'README.md', 'LICENSE'])
      cpSync(join(folder, part), join(workspace, basename(folder), part), { recursive: true })
  }
  const members = packages.map(({ folder }) => `./${basename(folder)}`)
  writeFileSync(join(workspace, 'deno.json'), JSON.stringify({ workspace: members }))
  execFileSync('deno', ['publish', '--dry-run', '--allow-dirty', '--quiet'], {
    cwd: workspace,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${matrix}${delimiter}${process.env.PATH}` },
  })
  console.log(`JSR accepts ${packages.map(({ manifest }) => manifest.name).join(', ')}.`)
} finally {
  rmSync(workspace, { recursive: true, force: true })
}
