import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { signWebhook } from '@wabakit/webhooks'
import { describe, expect, test, vi } from 'vitest'
import { findFreePort } from '../../server/test/free-port.ts'
import { isMatrix, requireCommand } from '../../server/test/programs.ts'
import { previousSecret, secret } from './endpoint.ts'
import { examine, listFindings } from './examine.ts'
import { type Command, startProcess } from './start-process.ts'

vi.setConfig({ maxConcurrency: 4, testTimeout: 1_200_000 })

const examples = resolve(import.meta.dirname, '../../../examples/receivers')

const readDatabase = (database: string): string => {
  using db = new DatabaseSync(database)
  return db
    .prepare('SELECT call_id FROM summaries')
    .all()
    .map(({ call_id }) => call_id)
    .join('\n')
}

type Language = {
  /** Command that succeeds if everything the example needs is installed. */
  readonly needs: Command
  /** Compiles the example into a folder. */
  build?(folder: string): void
  /** Returns the command that starts the example. */
  start(folder: string, port: number): Command
  /** Returns the effects stored in the example's database. */
  readEffects(database: string): string
}

const languages: Readonly<Record<string, Language>> = {
  python: {
    needs: ['/usr/bin/python3', '-c', 'import sqlite3, waitress'],
    start: (_, port) => [
      '/usr/bin/python3',
      ...['-m', 'waitress', `--listen=127.0.0.1:${port}`, 'receiver:application'],
    ],
    readEffects: readDatabase,
  },
  ruby: {
    needs: ['ruby', '-e', 'require "sqlite3"; require "puma"'],
    start: (_, port) => ['puma', '--bind', `tcp://127.0.0.1:${port}`, join(examples, 'ruby/config.ru')],
    readEffects: readDatabase,
  },
  php: {
    needs: ['php', '-r', 'new PDO("sqlite::memory:");'],
    start: (_, port) => ['php', '-S', `127.0.0.1:${port}`, join(examples, 'php/receiver.php')],
    readEffects: readDatabase,
  },
  go: {
    needs: ['go', 'version'],
    build: (folder) => {
      execFileSync('go', ['build', '-o', join(folder, 'receiver'), '.'], { cwd: join(examples, 'go') })
    },
    start: (folder) => [join(folder, 'receiver')],
    readEffects: (database) =>
      globSync(join(database, '*'))
        .map((file) => readFileSync(file, 'utf8'))
        .join(''),
  },
}

const tokenChecks = [
  'accepts-genuine',
  'accepts-encoded-token',
  'refuses-missing-token',
  'refuses-wrong-token',
  'refuses-missing-token-from-nearby',
  'refuses-missing-token-on-other-routes',
  'survives-forged-claim',
  'keeps-secrets-out-of-answers',
]

/** Contains characters that decoding as a form, decoding twice, and changing the case would change. */
const urlToken = 'a token+ä/%41-16'

const signed = { WABAKIT_WEBHOOK_SECRET: secret, WABAKIT_WEBHOOK_SECRET_PREVIOUS: previousSecret }

/** Placeholders that were left where the secret belongs. Each one needs a process of its own, so CI tests only one of each form. */
const placeholders = [
  ...['whsec_', '****', ''],
  ...(isMatrix ? ['whsec_…', 'whsec_...', 'whsec_<secret>', 'whsec_xxxx'] : []),
]

const startExample = async (name: string, language: Language, variables: Record<string, string>) => {
  const folder = mkdtempSync(join(tmpdir(), `wabakit-${name}-`))
  const database = name === 'go' ? folder : join(folder, 'receiver.db')
  language.build?.(folder)
  const port = await findFreePort()
  const env = {
    ...process.env,
    PORT: `${port}`,
    PYTHONPATH: join(examples, 'python'),
    PYTHONDONTWRITEBYTECODE: '1',
    RACK_ENV: 'production',
    DATABASE: database,
    ...variables,
  }
  const started = await startProcess(language.start(folder, port), { port, cwd: folder, env })
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    database,
    [Symbol.asyncDispose]: async () => {
      await started[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

describe.concurrent('the example receiver', () => {
  for (const [name, language] of Object.entries(languages)) {
    const [command, ...args] = language.needs
    const isInstalled = requireCommand(command, ...args)

    test.skipIf(!isInstalled)(`in ${name} passes every check of the doctor`, async () => {
      await using example = await startExample(name, language, signed)
      const report = await examine(
        { url: example.url, effects: [], [Symbol.asyncDispose]: async () => {} },
        { effects: () => language.readEffects(example.database) },
      )
      expect(listFindings(report)).toEqual({ fail: [], advice: [] })
      expect(report.verdict).toBe('pass')
    })

    test.skipIf(!isInstalled)(`in ${name} passes the doctor's checks of a token in the URL`, async () => {
      await using example = await startExample(name, language, { WEBHOOK_TOKEN: urlToken })
      const url = `${example.url}?token=${encodeURIComponent(urlToken)}`
      const report = await examine(
        { url, effects: [], [Symbol.asyncDispose]: async () => {} },
        {
          secret: undefined,
          previousSecret: undefined,
          effects: () => language.readEffects(example.database),
          only: tokenChecks,
        },
      )
      expect(listFindings(report)).toEqual({ fail: [], advice: [] })
      expect(report.verdict).toBe('pass')
    })

    test.skipIf(!isInstalled)(
      `in ${name} takes exactly one token in the URL, decoded once, before it looks at the body`,
      async () => {
        const previous = 'the-previous-token'
        const variables = { WEBHOOK_TOKEN: urlToken, WEBHOOK_TOKEN_PREVIOUS: previous }
        await using example = await startExample(name, language, variables)
        const deliver = async (query: string, body = '{"event":"CALL_ENDED"}') => {
          const headers = { 'content-type': 'application/json', authorization: `Bearer ${urlToken}` }
          return (await fetch(example.url + query, { method: 'POST', body, headers })).status
        }
        const encoded = encodeURIComponent(urlToken)
        const every = [...Buffer.from(urlToken)].map((byte) => `%${byte.toString(16)}`).join('')
        for (const query of [encoded, every, encoded.replace('%2B', '+'), previous])
          expect([query, await deliver(`?token=${query}`)]).toEqual([query, 200])
        expect(await deliver(`?a=1&t%6Fken=${encoded}&tokens=x&`)).toBe(200)
        for (const query of [
          '',
          '?token',
          '?token=',
          `?${encoded}`,
          `?Token=${encoded}`,
          `?token=${encoded.toUpperCase()}`,
          `?token=${encoded}x`,
          `?token=${encoded.slice(1)}`,
          `?token=${encoded}%`,
          `?token=${encodeURIComponent(encoded)}`,
          `?token=${encoded.replace('%20', '+')}`,
          `?token=${encoded}&token=${encoded}`,
          `?token=${encoded}&t%6Fken=x`,
          `?token[]=${encoded}`,
        ])
          expect([query, await deliver(query)]).toEqual([query, 401])
        expect(await deliver('?token=x', 'x'.repeat(2_000_000))).toBe(401)
      },
    )

    test
      .skipIf(!isInstalled)
      .each([{ WEBHOOK_HEADER: 'authorization' }, { WEBHOOK_HEADER: 'x-webhook-token' }])(
      `in ${name} stores a summary once from a sender that sends a token and no id: %j`,
      async ({ WEBHOOK_HEADER: header }) => {
        const variables = { WEBHOOK_TOKEN: 't0ken-ä-of-16-bytes', WEBHOOK_HEADER: header }
        await using example = await startExample(name, language, variables)
        const scheme = header === 'authorization' ? 'Bearer ' : ''
        const body = JSON.stringify({
          event: 'CALL_AI_SUMMARY',
          callId: 'call-1',
          summary: { recap: 'Refund.' },
        })
        const deliver = async (credential: string) => {
          const headers = { 'content-type': 'application/json', [header]: credential }
          return (await fetch(example.url, { method: 'POST', body, headers })).status
        }
        const sent = Buffer.from(`${scheme}${variables.WEBHOOK_TOKEN}`).toString('latin1')
        expect(await deliver(scheme)).toBe(401)
        expect(await deliver(`${sent}x`)).toBe(401)
        expect([await deliver(sent), await deliver(sent)]).toEqual([200, 200])
        expect(language.readEffects(example.database).match(/call-1/g)).toHaveLength(1)
      },
    )

    test.skipIf(!isInstalled)(`in ${name} refuses a token of fewer than 16 bytes`, async () => {
      const starting = startExample(name, language, { WEBHOOK_TOKEN: 'fifteen-bytes-x' })
      if (name !== 'php') return expect(starting).rejects.toThrow('does not listen')
      await using example = await starting
      expect((await fetch(`${example.url}?token=fifteen-bytes-x`, { method: 'POST' })).status).toBe(500)
    })

    test.skipIf(!isInstalled)(
      `in ${name} accepts no signature with the empty key of a placeholder`,
      async () => {
        const payload = '{"event":"CALL_ENDED"}'
        const { id, timestamp } = await signWebhook({ payload, secret })
        const forged = createHmac('sha256', '').update(`${id}.${timestamp}.${payload}`).digest('base64')
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': `${timestamp}`,
          'webhook-signature': `v1,${forged}`,
        }
        for (const placeholder of placeholders) {
          const starting = startExample(name, language, { WABAKIT_WEBHOOK_SECRET: placeholder })
          // Only PHP has no start at which it could refuse.
          if (name !== 'php') {
            await expect(starting, placeholder).rejects.toThrow('does not listen')
            continue
          }
          await using example = await starting
          const { status } = await fetch(example.url, { method: 'POST', body: payload, headers })
          expect([placeholder, status]).toEqual([placeholder, placeholder === '' ? 401 : 500])
        }
      },
    )
  }
})
