import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acme, control, start } from '../fixture.ts'
import { readShell, runPage, shellPages } from '../run-page.ts'
import { wabakitHere } from './wabakit.ts'

/** They run until they are stopped, or examine what this machine does not have. */
const others = ['doctor', 'exec', 'mock', 'probe', 'serve']
const line = new RegExp(`^(?:wabakit|npx @wabakit/server) (?!(?:${others.join('|')})\\b)[a-z]`, 'm')

test.skipIf(process.platform === 'win32').each(shellPages.filter((page) => line.test(readShell(page))))(
  'the commands of %s for a server succeed on one',
  async (page) => {
    const { machine, commands } = runPage(page)
    symlinkSync('.', join(machine, 'data'))
    const own = commands.flatMap(({ name, args, environment }) => {
      const words = args[0] === '@wabakit/server' ? args.slice(1) : args
      const isOwn = name === 'wabakit' || words !== args
      return isOwn && /^[a-z]/.test(words[0] ?? '') && !others.includes(words[0] ?? '')
        ? [{ words, environment }]
        : []
    })
    expect(own).not.toEqual([])
    const organizations = own.some(({ words }) => words[0] === 'org') ? [] : [acme]
    const server = await start({ database: join(machine, 'wabakit.db'), organizations })
    const calls = organizations.length === 0 ? [] : ['+15550199001', '+15550199002']
    let callId = ''
    for (const customerNumber of calls) {
      const { body } = await control(server, 'POST /organizations/acme/simulated-calls', { customerNumber })
      callId = body.callId
    }
    for (const { words, environment } of own) {
      const args = words.map((word) =>
        word.replace(/^http:\/\/127\.0\.0\.1:4\d01$/, server.url).replace('call_…', callId),
      )
      const env = { WABAKIT_ORGANIZATION: 'acme', ...environment, WABAKIT_SERVER: server.url }
      expect({ args, ...(await wabakitHere(args, { cwd: machine, env })) }).toMatchObject({ code: 0 })
    }
  },
)
