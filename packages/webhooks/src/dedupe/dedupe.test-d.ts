import { type Claim, createReceiver, type Dedupe, unsigned } from '../index.ts'

const verify = unsigned()

// A store whose claims have no owner: any process could release them.
const ownerless = {
  claim: async (_key: string, _ttlMs: number): Promise<'claimed' | 'duplicate' | 'in_progress'> => 'claimed',
  complete: async (_key: string) => {},
  release: async (_key: string) => {},
}
// @ts-expect-error claim() must return a claim
ownerless satisfies Dedupe
// @ts-expect-error claim() must return a claim
createReceiver({ verify, dedupe: ownerless })

// A claim whose `complete` does not return whether the claim was still held.
const silent = { renew: () => true, complete: async () => {}, release: () => {} }
// @ts-expect-error complete() must return whether the claim was held
silent satisfies Claim
