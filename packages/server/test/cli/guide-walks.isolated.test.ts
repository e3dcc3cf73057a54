import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { takeBlocks } from '../../../../tools/code-blocks.ts'
import { findFreePort, isListening } from '../free-port.ts'
import { requireCommand } from '../programs.ts'
import { command, folder } from './wabakit.ts'

// A walk starts a dozen processes, vitest among them, which takes longer on a busy machine.

const root = resolve(import.meta.dirname, '../../../..')
const blocks = takeBlocks(import.meta.filename)

/** Scripts that replace npm and npx. They run our sources instead of downloading packages. */
const programs = {
  npm: '[ "$1" != start ] || exec node server.ts',
  npx: `name=$1; shift; [ "$name" != @wabakit/server ] || exec node ${command.join(' ')} "$@"; exec ${root}/node_modules/.bin/$name "$@"`,
}

const running = new Set<ChildProcess>()
afterEach(() => {
  for (const child of running) {
    // The whole group: the shell, and what it started.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  running.clear()
})

const createProject = (example?: string): string => {
  const project = mkdtempSync(join(folder, 'walk-'))
  if (example !== undefined)
    cpSync(join(root, 'examples', example), project, {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    })
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const conditions = ['@wabakit/source', 'module', 'node']
  const test = { testTimeout: 600_000 }
  const config = { resolve: { conditions }, ssr: { resolve: { conditions } }, test }
  writeFileSync(join(project, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`)
  mkdirSync(join(project, 'bin'))
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(project, 'bin', name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(project, 'bin', name), 0o755)
  }
  return project
}

/** The file that a page names last before a block. */
const nameFile = (page: string, line: number): string => {
  const before = readFileSync(join(root, page), 'utf8').split('\n').slice(0, line)
  return [...before.join('\n').matchAll(/`([\w.]+\.ts)`/g)].at(-1)?.[1] ?? 'unnamed'
}

/** As the server prints it. */
const wabaNumber = /(?<=WABA number +)\+\d+/

/**
 * Follows a page in a folder: writes its files and runs its lines, one after the other, with what the server has printed in place of
 * `…`. Servers go on. Resolves to what each line has printed, and to the address of the receiver.
 */
const follow = async (page: string, cwd: string) => {
  const [port, receiverPort] = [await findFreePort(), await findFreePort()]
  const printed: { line: string; output: string }[] = []
  const find = (pattern: RegExp): string =>
    printed.flatMap(({ output }) => pattern.exec(output)?.[0] ?? []).at(-1) ?? `no ${pattern}`
  const env = {
    // The reader has no seed of our tests.
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(?:WABAKIT_|VITEST$)/.test(name)),
    ),
    PATH: [join(cwd, 'bin'), process.env.PATH].join(delimiter),
    NODE_OPTIONS: '--conditions=@wabakit/source',
    NO_COLOR: '1',
    WABAKIT_PORT: String(port),
    WABAKIT_SERVER: `http://127.0.0.1:${port}`,
    PORT: String(receiverPort),
  }
  const run = async (line: string): Promise<void> => {
    const entry = { line, output: '' }
    printed.push(entry)
    const script = line
      .replaceAll('4100', String(port))
      .replaceAll('3000', String(receiverPort))
      .replace('wk_…', () => find(/\bwk_\w+/))
      .replace('+1…', () => find(wabaNumber))
    const child = spawn('bash', ['-eo', 'pipefail', '-c', script], { cwd, env, detached: true })
    running.add(child)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        entry.output += text
      })
    const exited = once(child, 'exit').then(([code]) => {
      running.delete(child)
      return code
    })
    if (/@wabakit\/server(?: --|$)/.test(line)) await expect.poll(() => entry.output).toMatch(/\bwk_\w+/)
    else if (/\bnode serve\.ts$|\bnpm start$/.test(line))
      await expect.poll(() => isListening(receiverPort)).toBe(true)
    else expect(await exited, `${script}\n${entry.output}`).toBe(0)
  }
  for (const { language, code, line } of blocks.filter((block) => block.page === page)) {
    if (language === 'ts') writeFileSync(join(cwd, nameFile(page, line)), code)
    if (language === 'sh')
      for (const each of code.split('\n').filter((part) => /^[^#]/.test(part))) await run(each)
    if (language === '') {
      const escaped = code.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      const pattern = RegExp(`^${escaped.replaceAll(/\bcall_\w+/g, 'call_\\w+')}$`, 'm')
      await expect.poll(() => printed.map(({ output }) => output).join('')).toMatch(pattern)
    }
  }
  return { printed, receiver: `http://127.0.0.1:${receiverPort}` }
}

const isWindows = process.platform === 'win32'

test.skipIf(isWindows)('the start page leads from an empty folder to a summary and a group', async () => {
  const { printed } = await follow('docs/start.md', createProject())
  expect(printed.at(-1)?.output).toMatch(/^created wagrp_\w+\n$/)
})

test.skipIf(isWindows || !requireCommand('curl', '--version'))(
  'the README of the order service leads to an order with a group, and to a summary',
  async () => {
    const { printed, receiver } = await follow('examples/orders/README.md', createProject('orders'))
    expect(printed.find(({ line }) => line.includes('/orders'))?.output).toContain('Two teapots')
    await expect
      .poll(async () => await (await fetch(`${receiver}/summaries`)).json())
      .toMatchObject([{ call_id: expect.stringMatching(/^call_/) }])
  },
)
