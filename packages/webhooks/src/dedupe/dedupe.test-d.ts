import type { Pool, PoolClient } from 'pg'
import { expectTypeOf } from 'vitest'
import { type Claim, createReceiver, type Dedupe, type Receiver, sqlInbox, unsigned } from '../index.ts'

declare const pool: Pool
const verify = unsigned()

// With a store whose claims have no owner, anyone could release them.
const ownerless = {
  claim: async (_key: string, _ttlMs: number): Promise<'claimed' | 'duplicate' | 'in_progress'> => 'claimed',
  complete: async (_key: string) => {},
  release: async (_key: string) => {},
}
// @ts-expect-error claim() must return a claim
ownerless satisfies Dedupe
// @ts-expect-error claim() must return a claim
createReceiver({ verify, dedupe: ownerless })

// A claim that does not say whether it was still held when it was completed.
const silent = { renew: () => true, complete: async () => {}, release: () => {} }
// @ts-expect-error complete() must return whether the claim was held
silent satisfies Claim

// Handlers get the type of the inbox's transaction. Without an inbox, it is undefined.
const inInbox = createReceiver({ verify, dedupe: sqlInbox<PoolClient>(pool) })
expectTypeOf(inInbox).toEqualTypeOf<Receiver<PoolClient>>()
inInbox
  .onAny((_, context) => expectTypeOf(context.transaction).toEqualTypeOf<PoolClient>())
  .on('CALL_ENDED', (_, context) => expectTypeOf(context.transaction).toEqualTypeOf<PoolClient>())
  .onUnknown((_, context) => expectTypeOf(context.transaction).toEqualTypeOf<PoolClient>())
createReceiver({ verify, dedupe: sqlInbox(pool) }).onAny((_, { transaction }) =>
  expectTypeOf(transaction.query).toBeCallableWith('SELECT $1', [1]),
)
expectTypeOf(createReceiver({ verify })).toEqualTypeOf<Receiver>()
createReceiver({ verify }).onAny((_, context) => expectTypeOf(context.transaction).toBeUndefined())
