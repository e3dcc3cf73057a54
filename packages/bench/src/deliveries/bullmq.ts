import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { installPeer } from '../install-peer.ts'

type Options = {
  readonly connection: object
  readonly concurrency?: number
  readonly removeOnComplete?: { readonly count: number }
}

type Queue<Data> = {
  add(name: string, data: Data, options: object): Promise<unknown>
  addBulk(jobs: readonly { name: string; data: Data; opts: object }[]): Promise<unknown>
  getJobCountByTypes(...states: string[]): Promise<number>
}

type Worker = { waitUntilReady(): Promise<unknown> }

/** The part of bullmq that the benchmark uses, because bullmq's types are not installed. */
export type BullMq<Data> = {
  readonly Queue: new (name: string, options: Options) => Queue<Data>
  readonly Worker: new (
    name: string,
    processor: (job: { readonly data: Data }) => Promise<unknown>,
    options: Options,
  ) => Worker
}

/** Installs bullmq outside the workspaces. Returns the path of its `node_modules`. */
export const installBullMq = (): string => installPeer('bullmq@6', 'ioredis@5')

export const loadBullMq = <Data>(): BullMq<Data> =>
  createRequire(resolve(installBullMq(), 'bullmq'))('bullmq')
