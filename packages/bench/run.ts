import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

// `npm run bench` runs all benchmarks, each in its own process. `npm run bench -- webhooks-verify core-claims` runs the named
// ones. Each prints a table and writes results/<name>.json.
const all = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'run')
  .sort()
const named = process.argv.slice(2)
const unknown = named.filter((name) => !all.includes(name))

if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Available: ${all.join(', ')}.`)
  process.exitCode = 2
} else {
  for (const name of named.length > 0 ? named : all) {
    console.log(`\n# ${name}`)
    const file = join(import.meta.dirname, `${name}.ts`)
    const child = spawn(process.execPath, ['--conditions=@wabakit/source', file], { stdio: 'inherit' })
    const [code] = await once(child, 'exit')
    if (code !== 0) process.exitCode = 1
  }
}
