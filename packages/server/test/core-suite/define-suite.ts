import { afterAll, beforeAll, describe, test } from 'vitest'
import { inProcess, playOn, type Stage, suite } from '../../../core/test/suite/index.ts'
import { createSocketStage } from './sockets.ts'

type Stores = Pick<Stage, 'openStore'> & { readonly close?: () => Promise<void> }

/** Defines the tests of the core's suite on a kind of store. Requests and deliveries take real connections. */
export const defineSuite = (
  name: string,
  openStores: () => Promise<Stores>,
  skipped: readonly string[] = [],
): void => {
  describe(name, () => {
    const open: (() => Promise<void>)[] = []
    beforeAll(async () => {
      const { openStore, close } = await openStores()
      if (close !== undefined) open.push(close)
      const stage = await createSocketStage(openStore)
      open.unshift(stage.close)
      playOn(stage)
    })
    afterAll(async () => {
      playOn(inProcess)
      for (const close of open) await close()
    })
    for (const { name, run } of suite) test.skipIf(skipped.includes(name))(name, run)
  })
}
