import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { heavyPeer } from '../heavy-peers.ts'

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

/** What is used of bullmq, which has no types here. */
export type BullMq<Data> = {
  readonly Queue: new (name: string, options: Options) => Queue<Data>
  readonly Worker: new (
    name: string,
    processor: (job: { readonly data: Data }) => Promise<unknown>,
    options: Options,
  ) => Worker
}

/** Installs bullmq apart from the workspaces when it is not there: its folder. */
export const installBullMq = (): string => heavyPeer('bullmq@6', 'ioredis@5')

/** Loads bullmq. */
export const loadBullMq = <Data>(): BullMq<Data> =>
  createRequire(resolve(installBullMq(), 'bullmq'))('bullmq')
