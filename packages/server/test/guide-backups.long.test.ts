import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { takeBlocks } from '../../../tools/code-blocks.ts'
import { distribution, startInstalledPostgres } from '../../webhooks/test/installed-postgres.ts'
import { control, createGroup, start } from './fixture.ts'
import { requireProgram } from './programs.ts'

test.skipIf(!requireProgram('postgresql', distribution !== undefined))(
  'the commands of the guide restore what a server on PostgreSQL had acknowledged, and copy files that are complete',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wabakit-backups-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const cluster = await startInstalledPostgres(distribution ?? '')
    onTestFinished(cluster.stop)
    await cluster.pool().query('CREATE DATABASE wabakit')
    const database = cluster.connectionString.replace(/postgres$/, 'wabakit')
    const server = await start({ database })
    await createGroup(server.url, { groupId: 'acknowledged' })

    const script = takeBlocks(import.meta.filename, 2)
      .map(({ code }) => code)
      .join('')
      .replace('postgres://wabakit@db.internal/wabakit', database)
      .replaceAll('/backups/', `${folder}/`)
    const { port } = new URL(database)
    const env = {
      PATH: `${distribution}:/usr/bin:/bin`,
      PGHOST: '127.0.0.1',
      PGPORT: port,
      PGUSER: 'wabakit',
    }
    await promisify(execFile)('bash', ['-euc', script], { cwd: folder, env })

    const restored = await start({ database: `${database}_restored` })
    const { body } = await control(restored, 'GET /organizations/acme/groups')
    expect(body.items).toMatchObject([{ groupId: 'acknowledged' }])
  },
)
