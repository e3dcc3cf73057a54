import type { Dedupe } from './dedupe.ts'
import { defaultRetentionMs } from './retention.ts'

/** What is needed of a client of `redis` (node-redis 4 and newer), cluster or not. */
export type NodeRedisClient = {
  set(key: string, value: string, options: { PX: number; NX?: true }): Promise<unknown>
  get(key: string): Promise<unknown>
  del(key: string): Promise<unknown>
}

/** What is needed of a client of `ioredis`, cluster or not. */
export type IoRedisClient = {
  /** By which an ioredis client is recognised. */
  readonly call: unknown
  set(key: string, value: string, px: 'PX', milliseconds: number): Promise<unknown>
  set(key: string, value: string, px: 'PX', milliseconds: number, nx: 'NX'): Promise<unknown>
  get(key: string): Promise<unknown>
  del(key: string): Promise<unknown>
}

/** Options of {@link redisDedupe}. */
export type RedisDedupeOptions = {
  /**
   * Milliseconds for which a handled delivery is remembered.
   * @default 604_800_000 (7 days)
   */
  readonly ttlMs?: number
  /**
   * What the keys start with.
   * @default 'wabakit:webhook:'
   */
  readonly prefix?: string
}

type Store = (key: string, value: 'claimed' | 'done', ttlMs: number, ifAbsent: boolean) => Promise<unknown>

const storeOf = (client: NodeRedisClient | IoRedisClient): Store => {
  if ('call' in client) {
    return (key, value, ttlMs, ifAbsent) =>
      ifAbsent ? client.set(key, value, 'PX', ttlMs, 'NX') : client.set(key, value, 'PX', ttlMs)
  }
  return (key, value, ttlMs, ifAbsent) => client.set(key, value, { PX: ttlMs, ...(ifAbsent && { NX: true }) })
}

/**
 * Remembers deliveries in Redis, for any number of processes. One key per delivery, which expires by itself.
 *
 * @param client - a connected client of `redis` or of `ioredis`; it stays yours to close.
 * @example
 * createReceiver({ verify, dedupe: redisDedupe(await createClient({ url }).connect()) })
 */
export const redisDedupe = (
  client: NodeRedisClient | IoRedisClient,
  options: RedisDedupeOptions = {},
): Dedupe => {
  const { ttlMs = defaultRetentionMs, prefix = 'wabakit:webhook:' } = options
  const store = storeOf(client)
  return {
    claim: async (key, claimMs) => {
      if ((await store(prefix + key, 'claimed', claimMs, true)) !== null) return 'claimed'
      return (await client.get(prefix + key)) === 'done' ? 'duplicate' : 'in_progress'
    },
    complete: (key) => store(prefix + key, 'done', ttlMs, false),
    release: (key) => client.del(prefix + key),
  }
}
