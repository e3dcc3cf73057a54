import { type Claim, createReceiver, type Dedupe, unsigned } from '../index.ts'

const verify = unsigned()

// Claims of this store have no owner, so any process could release them.
const ownerless = {
  claim: async (_key: string, _ttlMs: number): Promise<'claimed' | 'duplicate' | 'in_progress'> => 'claimed',
  complete: async (_key: string) => {},
  release: async (_key: string) => {},
}
// @ts-expect-error claim() must return a claim
ownerless satisfies Dedupe
// @ts-expect-error claim() must return a claim
createReceiver({ verify, dedupe: ownerless })

// The `complete` of this claim does not return whether the claim was still held.
const silent = { renew: () => true, complete: async () => {}, release: () => {} }
// @ts-expect-error complete() must return whether the claim was held
silent satisfies Claim
