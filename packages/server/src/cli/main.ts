#!/usr/bin/env node
import manifest from '../../package.json' with { type: 'json' }

// Checks the version before loading other modules, because older versions of Node.js may not be able to load them.
const minimum = manifest.engines.node.replace(/^\D+/, '')
const isTooOld = process.versions.node.localeCompare(minimum, undefined, { numeric: true }) < 0
if (isTooOld) {
  console.error(`wabakit needs Node.js ${minimum} or newer; this is ${process.versions.node}.`)
  process.exitCode = 2
} else {
  const { emitWarning } = process
  // Hides Node.js's warning about SQLite, because users of this program cannot act on it.
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) {
      Reflect.apply(emitWarning, process, [warning, ...rest])
    }
  }
  const { run, watchOutput } = await import('./run.ts')
  watchOutput()
  await run(process.argv.slice(2))
}
