import { WebhookUsageError } from '../errors.ts'
import { toStoredMs } from '../time-limit.ts'
import { assertAboveZero, assertOptions } from '../usage.ts'
import { type Dedupe, defaultRetentionMs, type RetentionOptions } from './dedupe.ts'

/**
 * The part of a `redis` client (node-redis 4 and newer) that the store uses, for a cluster or a single
 * server.
 */
export type NodeRedisClient = {
  set(key: string, value: string, options: { PX: number; NX: true }): Promise<unknown>
  get(key: string): Promise<unknown>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** The part of an `ioredis` client that the store uses, for a cluster or a single server. */
export type IoRedisClient = {
  /** Distinguishes an ioredis client from a node-redis client. */
  readonly call: unknown
  set(key: string, value: string, px: 'PX', milliseconds: number, nx: 'NX'): Promise<unknown>
  get(key: string): Promise<unknown>
  eval(script: string, keys: 1, key: string, ...values: string[]): Promise<unknown>
}

/** Options for {@link redisDedupe}. @interface */
export type RedisDedupeOptions = RetentionOptions & {
  /**
   * Prefix of the keys.
   * @default 'wabakit:webhook:'
   */
  readonly prefix?: string | undefined
}

/** The value of a handled delivery. The value of a claimed delivery is the token of the claim. */
const done = 'done'

// These are scripts, because each must read and write atomically. Otherwise, the claim could expire in
// between, and another process could claim the key.
const scripts = {
  renew: `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
  complete: `local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'done', 'PX', ARGV[2])
return 1`,
  release: `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`,
}

type Commands = {
  readonly setIfAbsent: (key: string, value: string, ttlMs: number) => Promise<unknown>
  readonly run: (script: string, key: string, ...values: string[]) => Promise<unknown>
}

const decoder = /* @__PURE__ */ new TextDecoder()

/** Converts a reply to text. Clients can be configured to return bytes, or another type of number. */
const toText = (reply: unknown): string => (ArrayBuffer.isView(reply) ? decoder.decode(reply) : String(reply))

const toCommands = (client: NodeRedisClient | IoRedisClient): Commands =>
  'call' in client
    ? {
        setIfAbsent: (key, value, ttlMs) => client.set(key, value, 'PX', ttlMs, 'NX'),
        run: (script, key, ...values) => client.eval(script, 1, key, ...values),
      }
    : {
        setIfAbsent: (key, value, ttlMs) => client.set(key, value, { PX: ttlMs, NX: true }),
        run: (script, key, ...values) => client.eval(script, { keys: [key], arguments: values }),
      }

/**
 * Remembers deliveries in Redis, for any number of processes. Each delivery is one key, which expires
 * automatically.
 *
 * @param client - a connected `redis` or `ioredis` client. It is never closed.
 * @throws WebhookUsageError for an unknown option or an object that is not a client.
 * @throws RangeError when `ttlMs` is not above 0.
 * @example
 * createReceiver({ verify, dedupe: redisDedupe(await createClient({ url }).connect()) })
 */
export const redisDedupe = (
  client: NodeRedisClient | IoRedisClient,
  options: RedisDedupeOptions = {},
): Dedupe => {
  assertOptions('redisDedupe()', options, ['ttlMs', 'prefix'])
  const { ttlMs = defaultRetentionMs, prefix = 'wabakit:webhook:' } = options
  assertAboveZero('ttlMs', ttlMs)
  for (const method of ['set', 'get', 'eval'] as const) {
    if (typeof Object(client)[method] === 'function') continue
    throw new WebhookUsageError(
      `redisDedupe() needs a client of redis or ioredis. This one has no ${method}().`,
    )
  }
  const { setIfAbsent, run } = toCommands(client)
  /** Sets a key unless it exists. Returns whether it was set. */
  const take = async (key: string, token: string, lifetimeMs: number): Promise<boolean> => {
    const reply = await setIfAbsent(key, token, lifetimeMs)
    if (reply === null) return false
    if (toText(reply) === 'OK') return true
    throw new WebhookUsageError(
      `redisDedupe() needs a client whose set() resolves to "OK" or null, not to ${typeof reply}. ` +
        'Pass a client of redis or ioredis, not its legacy mode or another library.',
    )
  }
  let isChecked = false
  /**
   * Checks, until that has succeeded once, that the client honors the option NX. If it ignored the option, every claim would succeed,
   * and every duplicate would be handled.
   */
  const check = async (): Promise<void> => {
    if (isChecked) return
    const key = `${prefix}check:${crypto.randomUUID()}`
    const taken = [await take(key, 'check', 10_000), await take(key, 'check', 10_000)]
    const released = toText(await run(scripts.release, key, 'check'))
    if (taken.join() !== 'true,false' || released !== '1') {
      throw new WebhookUsageError(
        'redisDedupe() cannot use this client: set() with PX and NX, or eval(), does something else. ' +
          'Pass a client of redis or ioredis.',
      )
    }
    isChecked = true
  }
  return {
    claim: async (name, claimMs) => {
      await check()
      const key = prefix + name
      const token = crypto.randomUUID()
      if (!(await take(key, token, toStoredMs(claimMs)))) {
        return toText(await client.get(key)) === done ? 'duplicate' : 'in_progress'
      }
      const isDone = async (...script: Parameters<typeof run>) => toText(await run(...script)) === '1'
      return {
        renew: (renewMs) => isDone(scripts.renew, key, token, `${toStoredMs(renewMs)}`),
        complete: () => isDone(scripts.complete, key, token, `${toStoredMs(ttlMs)}`),
        release: () => run(scripts.release, key, token),
      }
    },
  }
}
