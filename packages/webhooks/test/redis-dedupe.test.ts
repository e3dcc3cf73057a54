import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type NodeRedisClient, type RedisDedupeOptions, redisDedupe } from '@wabakit/webhooks'
import { Redis } from 'ioredis'
import { createClient, RESP_TYPES } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testOptions } from '../../../tools/option-cases.ts'
import { requireCommand } from '../../server/test/programs.ts'
import { claim, dedupeCases, separationCase } from './dedupe-cases.ts'

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

describe.skipIf(!requireCommand('redis-server', '--version'))(
  'redisDedupe on a real Redis (skipped where redis-server is not installed)',
  () => {
    const closers: (() => unknown)[] = []
    let url = ''

    beforeAll(async () => {
      const port = await freePort()
      const server = spawn('redis-server', [
        '--port',
        `${port}`,
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
      ])
      const ready = Promise.withResolvers<void>()
      let log = ''
      server.stdout.on('data', (chunk) => {
        log += chunk
        if (log.includes('Ready to accept connections')) ready.resolve()
      })
      server.once('exit', () => ready.reject(new Error(log)))
      closers.push(async () => {
        server.kill()
        if (server.exitCode === null) await once(server, 'exit')
      })
      await ready.promise
      url = `redis://127.0.0.1:${port}`
    })

    afterAll(async () => {
      for (const close of closers.toReversed()) await close()
    })

    const nodeRedis = async () => {
      const client = await createClient({ url }).connect()
      closers.push(() => client.close())
      return client
    }
    const ioRedis = async () => {
      const client = new Redis(url)
      closers.push(() => client.quit())
      return client
    }

    describe('with an ioredis client, alongside a node-redis client', () => {
      dedupeCases(async (ttlMs) => {
        const clients = [await ioRedis(), await nodeRedis()] as const
        return [redisDedupe(clients[0], { ttlMs }), redisDedupe(clients[1], { ttlMs })]
      })
    })

    it.each<[string, () => Promise<NodeRedisClient | Redis>]>([
      ['RESP 3', () => createClient({ url, RESP: 3 }).connect()],
      [
        'replies as bytes and numbers as text',
        async () => {
          const types = {
            [RESP_TYPES.BLOB_STRING]: Buffer,
            [RESP_TYPES.SIMPLE_STRING]: Buffer,
            [RESP_TYPES.NUMBER]: String,
          }
          return (await createClient({ url }).connect()).withTypeMapping(types)
        },
      ],
      ['stringNumbers', async () => new Redis(url, { stringNumbers: true })],
      ['a keyPrefix', async () => new Redis(url, { keyPrefix: 'app:' })],
    ])('works with a client with %s', async (_, connect) => {
      const client = await connect()
      closers.push(() => ('call' in client ? client.quit() : undefined))
      closers.push(() =>
        'destroy' in client && typeof client.destroy === 'function' ? client.destroy() : undefined,
      )
      const dedupe = redisDedupe(client)
      const key = crypto.randomUUID()
      const first = await claim(dedupe, key)
      expect([await dedupe.claim(key, 60_000), await first.renew(60_000)]).toEqual(['in_progress', true])
      await first.release()
      expect(await (await claim(dedupe, key)).complete()).toBe(true)
      expect(await dedupe.claim(key, 60_000)).toBe('duplicate')
    })

    it('refuses a client that ignores NX, or does not return the reply, instead of handling duplicates', async () => {
      const client = await nodeRedis()
      const ignoring = {
        set: (key: string, value: string, { PX }: { PX: number }) => client.set(key, value, { PX }),
        get: (key: string) => client.get(key),
        eval: client.eval.bind(client),
      }
      await expect(redisDedupe(ignoring).claim('a', 1_000)).rejects.toThrow('cannot use this client')
      const silent = { ...ignoring, set: async () => undefined }
      await expect(redisDedupe(silent).claim('a', 1_000)).rejects.toThrow('"OK" or null, not to undefined')
      expect(() => Reflect.apply(redisDedupe, undefined, [{ get: () => {} }])).toThrow(
        'This one has no set()',
      )
    })

    separationCase(async (prefix) => redisDedupe(await ioRedis(), { prefix }))

    /** Handles a delivery. Returns its key, and how long it is remembered, in minutes. */
    const remember = async (options: Partial<RedisDedupeOptions>) => {
      const [client, name] = [await ioRedis(), crypto.randomUUID()]
      await (await claim(redisDedupe(client, options), name)).complete()
      const [key = ''] = await client.keys(`*${name}`)
      return { key: key.replace(name, ''), minutes: Math.ceil((await client.pttl(key)) / 60_000) }
    }
    testOptions<RedisDedupeOptions>('redisDedupe()', {
      ttlMs: {
        see: async (options) => (await remember(options)).minutes,
        cases: [
          [{}, 7 * 24 * 60],
          [{ ttlMs: 3_600_000 }, 60],
        ],
      },
      prefix: {
        see: async (options) => (await remember(options)).key,
        cases: [
          [{}, 'wabakit:webhook:'],
          [{ prefix: 'mine:' }, 'mine:'],
        ],
      },
    })

    it('stores every key under its prefix, with an expiry time', async () => {
      const client = await ioRedis()
      const dedupe = redisDedupe(client, { prefix: 'mine:' })
      const claimed = await claim(dedupe, 'a', 5_000)
      expect(await client.pttl('mine:a')).toBeGreaterThan(0)
      await claimed.renew(3_600_000)
      expect(await client.pttl('mine:a')).toBeGreaterThan(3_000_000)
      await claimed.complete()
      expect(await client.pttl('mine:a')).toBeGreaterThan(6 * 24 * 3_600_000)
    })
  },
)
